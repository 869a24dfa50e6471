import { expect, it } from 'vitest';
import { prefersHtml } from './prefers-html.ts';

it.each([
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'text/html',
  'TEXT/HTML; q=0.5, application/json;q=0.4',
  'application/xhtml+xml',
  'text/html, application/json',
])('a client that asks for HTML by name gets HTML: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(true);
});

it.each([
  undefined,
  '',
  '*/*',
  'text/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html;q=0.9',
  'application/problem+json, text/html;q=0.9',
  'text/html;q=0',
  'text/htmlx',
])('any other client gets JSON: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(false);
});

it('a client with a longer list than those of browsers gets JSON (D-343)', () => {
  const longest = `text/html${','.repeat(1_015)}`;
  expect([prefersHtml(longest), prefersHtml(`${longest},`)]).toEqual([true, false]);
});
