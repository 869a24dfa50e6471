import type { VNode } from 'preact';
import type { Media, Operation, Response } from './document.ts';
import { fieldTable, typeText } from './render-schema.ts';
import { el, json, prose } from './text.ts';

/** Headers that any response may have. The page explains them once. */
export const commonHeaders: ReadonlySet<string> = new Set([
  'X-Request-Id',
  'X-Ignored-Fields',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'Cache-Control',
  'x-should-retry',
  'Retry-After',
]);

/** An operation: its request and all of its responses. */
export function operationSection(operation: Operation): VNode {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = operation;
  const fields = parameters.map(({ name, required = false, schema, description: text }) => ({
    name,
    isRequired: required,
    schema,
    description: text,
  }));
  const all = Object.entries(responses);
  return el(
    'section',
    { id: operationId, key: operationId, 'aria-labelledby': `${operationId}-title` },
    el('h3', { id: `${operationId}-title` }, summary),
    el('p', null, el('code', null, `${method} ${path}`)),
    el('p', null, prose(description)),
    fieldTable('Headers and parameters of the request', fields),
    requestBody === undefined ? null : mediaParts('Body of the request', requestBody.content),
    el('h4', null, 'Responses'),
    all.map(([status, response]) => responseDetails(status, response)),
  );
}

function responseDetails(status: string, { description, headers = {}, content = {} }: Response): VNode {
  const own = Object.entries(headers)
    .filter(([name]) => !commonHeaders.has(name))
    .map(([name, { required = false, schema, description: text }]) => ({
      name,
      isRequired: required,
      schema,
      description: text,
    }));
  return el(
    'details',
    { key: status, open: status === '200' || status === '402' },
    el('summary', null, el('code', null, status), ' ', prose(description)),
    fieldTable(`Headers of the ${status}`, own),
    mediaParts('Body', content),
  );
}

function mediaParts(title: string, content: Readonly<Record<string, Media>>) {
  return Object.entries(content).map(([type, { schema, example, examples = {} }]) => {
    const shown = example ?? Object.values(examples)[0]?.value;
    return el(
      'div',
      { key: type },
      el('p', null, `${title}: `, el('code', null, type), ', ', typeText(schema)),
      shown === undefined ? null : json(shown),
    );
  });
}
