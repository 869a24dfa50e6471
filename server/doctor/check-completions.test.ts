import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { configSchema } from '../config/schema.ts';
import { chatCompletion } from '../testing/inference/exchange.ts';
import { json, openUpstream } from '../testing/inference/fake-upstream.ts';
import { systemClock } from '../types/clock.ts';
import { checkCompletions } from './check-completions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-completions-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const writes = json(chatCompletion({ content: 'Hello.' }));
const hangs = () => undefined;

const model = (id: string, base: object) => ({
  id,
  created: 1_700_000_000,
  owned_by: 'alder',
  context_length: 8_192,
  max_output_tokens: 2_048,
  pricing: { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' },
  ...base,
});
const upstream = ({ baseUrl }: { baseUrl: string }) => ({ base_url: baseUrl, model: 'm' });
const from = (id: string, ...servers: { baseUrl: string }[]) =>
  model(id, { engine: 'openai', upstreams: servers.map(upstream) });

async function check(...models: object[]) {
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify({ models }));
  const config = configSchema.parse({ catalogFile, inferenceTimeoutMs: 1_000 });
  const found = await checkCompletions({
    loaded: { config, relayerKeys: [] },
    environment: {},
    clock: systemClock,
  });
  return found.map(({ status, text }) => `${status}: ${text}`);
}

it('asks each upstream for a completion of a few tokens, and no model inside the gateway', async () => {
  await using one = await openUpstream(writes);
  await using other = await openUpstream(writes);
  const found = await check(model('alder/inside', { engine: 'reference' }), from('alder/one', one, other));
  expect(found).toEqual(['ok: 2 completions from the upstreams.']);
  for (const { seen } of [one, other])
    expect(seen.map(({ body }) => body)).toEqual([expect.objectContaining({ model: 'm', max_tokens: 16 })]);
});

it('asks nothing where all models run inside the gateway', async () => {
  expect(await check(model('alder/inside', { engine: 'reference' }))).toEqual([
    'ok: No model has an upstream.',
  ]);
});

it('finds an upstream that takes requests and never responds: a warning if another one sells the model', async () => {
  await using sound = await openUpstream(writes);
  await using dead = await openUpstream(hangs);
  const sentence = `got no completion from ${dead.baseUrl}: `;
  const [warning] = await check(from('alder/one', sound, dead));
  expect(warning).toContain(`warning: alder/one ${sentence}`);
  const [failure] = await check(from('alder/one', sound), from('alder/two', dead));
  expect(failure).toContain(`failed: alder/two ${sentence}`);
});

it('finds an upstream whose completion cannot be sold', async () => {
  await using broken = await openUpstream(json({ choices: [] }));
  const [failure] = await check(from('alder/one', broken));
  expect(failure).toMatch(
    /^failed: alder\/one got no completion from .*Send a request to the upstream itself\.$/,
  );
});
