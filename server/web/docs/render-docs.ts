import { errorTable } from '@paid-inference/contract/errors';
import openapi from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { isPaid, operations, usedSchemas } from './document.ts';
import { flowSection } from './render-flow.ts';
import { commonHeaders, operationSection } from './render-operation.ts';
import { fieldTable, schemaSection } from './render-schema.ts';
import { prose } from './text.ts';

/**
 * Renders the API reference as HTML without a script, into the frame of the page. It is made from the OpenAPI document
 * when the page is built (D-372).
 */
export function renderDocs(shell: string): string {
  const content = render(h('div', { class: 'docs' }, contents(), h('article', null, introduction(), flowSection(), endpoints(), errors(), schemaList())));
  return shell
    .replace(/<script\b[^>]*><\/script>\s*/g, '')
    .replace(/<link rel="(?:preload|modulepreload)"[^>]*>\s*/g, '')
    .replace(/<noscript>[\s\S]*?<\/noscript>/, () => content)
    .replace(/<title>[^<]*<\/title>/, '<title>API reference – Paid inference gateway</title>')
    .replace('<a href="/docs">', '<a href="/docs" aria-current="page">');
}

function contents(): VNode {
  const links = operations.map(({ operationId, summary }) => h('li', { key: operationId }, h('a', { href: `#${operationId}` }, summary)));
  return h(
    'nav',
    { 'aria-label': 'On this page' },
    h(
      'ul',
      null,
      h('li', null, h('a', { href: '#payment-flow' }, 'The payment flow')),
      links,
      h('li', null, h('a', { href: '#errors' }, 'Errors')),
      h('li', null, h('a', { href: '#schemas' }, 'Schemas')),
    ),
  );
}

function introduction(): VNode {
  return h(
    'section',
    null,
    h('h1', null, 'API reference'),
    h('p', { class: 'lead' }, prose(openapi.info.description.replaceAll('\n', ' '))),
    h(
      'p',
      null,
      'This page shows the whole OpenAPI document. ',
      h('a', { href: '/openapi.json' }, 'openapi.json'),
      ' has the same document with the models and the prices of this gateway.',
    ),
  );
}

function endpoints(): VNode {
  const [first] = operations;
  const headers = Object.values(first?.responses ?? {}).flatMap(({ headers: all = {} }) => Object.entries(all));
  const common = [...new Map(headers)].filter(([name]) => commonHeaders.has(name));
  return h(
    'section',
    { id: 'endpoints' },
    h('h2', null, 'Paid endpoints'),
    operations.filter(isPaid).map(operationSection),
    h('h2', null, 'Free endpoints'),
    operations.filter((each) => !isPaid(each)).map(operationSection),
    h('h2', { id: 'common-headers' }, 'Headers of every response'),
    fieldTable(
      'Any response may have these headers',
      common.map(([name, { schema, description }]) => ({ name, isRequired: false, schema, description })),
    ),
  );
}

function errors(): VNode {
  const rows = Object.entries(errorTable).map(([code, { status, type, when }]) =>
    h(
      'tr',
      { key: code },
      h('th', { scope: 'row' }, h('code', null, code)),
      h('td', { 'data-name': 'Status' }, status),
      h('td', { 'data-name': 'Type' }, h('code', null, type)),
      h('td', null, prose(when)),
    ),
  );
  const head = ['Code', 'Status', 'Type', 'When'].map((name) => h('th', { scope: 'col', key: name }, name));
  return h(
    'section',
    { id: 'errors' },
    h('h2', null, 'Errors'),
    h('p', null, 'An error has the body ', h('code', null, '{"error":{"message","type","code","param"}}'), '. If a request has several errors, the earlier row of this table wins.'),
    h('table', { class: 'cards' }, h('thead', null, h('tr', null, head)), h('tbody', null, rows)),
  );
}

function schemaList(): VNode {
  return h('section', { id: 'schemas' }, h('h2', null, 'Schemas'), usedSchemas().map(schemaSection));
}
