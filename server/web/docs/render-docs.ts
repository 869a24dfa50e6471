import { errorTable } from '@paid-inference/contract/errors';
import openapi from '@paid-inference/contract/openapi.json' with { type: 'json' };
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { isPaid, operations, usedSchemas } from './document.ts';
import { flowSection } from './render-flow.ts';
import { commonHeaders, operationSection } from './render-operation.ts';
import { fieldTable, schemaSection } from './render-schema.ts';
import { el, prose } from './text.ts';

/**
 * Renders the API reference as HTML without a script, into the frame of the page. It is made from the OpenAPI document
 * when the page is built (D-372).
 */
export function renderDocs(shell: string): string {
  const content = render(
    el(
      'div',
      { class: 'docs' },
      contents(),
      el('article', null, introduction(), flowSection(), endpoints(), errors(), schemaList()),
    ),
  );
  return shell
    .replace(/<script\b[^>]*><\/script>\s*/g, '')
    .replace(/<link rel="(?:preload|modulepreload)"[^>]*>\s*/g, '')
    .replace(/<noscript>[\s\S]*?<\/noscript>/, () => content)
    .replace(/<title>[^<]*<\/title>/, '<title>API reference – Paid inference gateway</title>')
    .replace('<a href="./docs">', '<a href="./docs" aria-current="page">');
}

function contents(): VNode {
  const links = operations.map(({ operationId, summary }) =>
    el('li', { key: operationId }, el('a', { href: `#${operationId}` }, summary)),
  );
  return el(
    'nav',
    { 'aria-label': 'On this page' },
    el(
      'ul',
      null,
      el('li', null, el('a', { href: '#payment-flow' }, 'The payment flow')),
      links,
      el('li', null, el('a', { href: '#errors' }, 'Errors')),
      el('li', null, el('a', { href: '#schemas' }, 'Schemas')),
    ),
  );
}

function introduction(): VNode {
  return el(
    'section',
    null,
    el('h1', null, 'API reference'),
    el('p', { class: 'lead' }, prose(openapi.info.description.replaceAll('\n', ' '))),
    el(
      'p',
      null,
      'This page shows the whole OpenAPI document. ',
      el('a', { href: './openapi.json' }, 'openapi.json'),
      ' has the same document with the models and the prices of this gateway.',
    ),
  );
}

function endpoints(): VNode {
  const [first] = operations;
  const headers = Object.values(first?.responses ?? {}).flatMap(({ headers: all = {} }) =>
    Object.entries(all),
  );
  const common = [...new Map(headers)].filter(([name]) => commonHeaders.has(name));
  return el(
    'section',
    { id: 'endpoints' },
    el('h2', null, 'Paid endpoints'),
    operations.filter(isPaid).map(operationSection),
    el('h2', null, 'Free endpoints'),
    operations.filter((each) => !isPaid(each)).map(operationSection),
    el('h2', { id: 'common-headers' }, 'Headers of every response'),
    fieldTable(
      'Any response may have these headers',
      common.map(([name, { schema, description }]) => ({ name, isRequired: false, schema, description })),
    ),
  );
}

function errors(): VNode {
  const rows = Object.entries(errorTable).map(([code, { status, type, when }]) =>
    el(
      'tr',
      { key: code },
      el('th', { scope: 'row' }, el('code', null, code)),
      el('td', { 'data-name': 'Status' }, status),
      el('td', { 'data-name': 'Type' }, el('code', null, type)),
      el('td', null, prose(when)),
    ),
  );
  const head = ['Code', 'Status', 'Type', 'When'].map((name) => el('th', { scope: 'col', key: name }, name));
  return el(
    'section',
    { id: 'errors' },
    el('h2', null, 'Errors'),
    el(
      'p',
      null,
      'An error has the body ',
      el('code', null, '{"error":{"message","type","code","param"}}'),
      '. If a request has several errors, the earlier row of this table wins.',
    ),
    el('table', { class: 'cards' }, el('thead', null, el('tr', null, head)), el('tbody', null, rows)),
  );
}

function schemaList(): VNode {
  return el('section', { id: 'schemas' }, el('h2', null, 'Schemas'), usedSchemas().map(schemaSection));
}
