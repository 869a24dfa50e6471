import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { errorTable } from '@paid-inference/contract/errors';
import vectors from '@paid-inference/contract/vectors.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { usedSchemas } from './document.ts';
import { renderDocs } from './render-docs.ts';

const shell = `<!doctype html><html lang="en"><head><title>Paid inference gateway</title>
<script type="module" crossorigin src="./web/assets/index-1.js"></script>
<link rel="modulepreload" crossorigin href="./web/assets/a.js">
<link rel="stylesheet" crossorigin href="./web/assets/index-1.css"></head>
<body><nav><a href="./docs">API reference</a></nav><main><noscript><p>No script.</p></noscript></main></body></html>`;
const page = renderDocs(shell);

describe('The API reference', () => {
  it('has every operation with its method and path', () => {
    for (const [operationId, { method, path }] of Object.entries(endpoints)) {
      expect(page).toContain(`id="${operationId}"`);
      expect(page).toContain(`<code>${method} ${path}</code>`);
    }
  });

  it('shows each payment header decoded, and its bytes', () => {
    const { paymentRequired, payment, paymentResponse, inferenceProof } = headerNames;
    for (const name of [paymentRequired, payment, paymentResponse, inferenceProof])
      expect(page).toContain(vectors.headers[name]);
    const decoded = page.replaceAll('&quot;', '"');
    for (const value of [vectors.offer, vectors.receipt, vectors.proof])
      expect(decoded).toContain(JSON.stringify(value, null, 2));
    expect(decoded).toContain(vectors.signature);
  });

  it('has every error code', () => {
    for (const code of Object.keys(errorTable)) expect(page).toContain(`<code>${code}</code>`);
  });

  it('links only to places that it has', () => {
    const places = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((id) => !places.has(id))).toEqual([]);
    expect(usedSchemas()).toContain('ChatCompletionRequest');
  });

  it('has no script, no style in an attribute, and the style sheet of the page', () => {
    expect(page).not.toMatch(/<script|<noscript| style="| on\w+="|modulepreload/);
    expect(page).toContain('<link rel="stylesheet" crossorigin href="./web/assets/index-1.css">');
  });

  it('is marked as the current page, with a title of its own', () => {
    expect(page).toContain('<a href="./docs" aria-current="page">');
    expect(page).toContain('<title>API reference – Paid inference gateway</title>');
  });

  it('names no decision of this project', () => {
    expect(page).not.toMatch(/\bD-\d/);
  });
});
