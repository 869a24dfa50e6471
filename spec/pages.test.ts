import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sources } from './scripts/sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const atTop = ['README.md', 'CHANGELOG.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md'];
const pages = [...atTop, ...sources.map(({ path }) => path).filter((path) => path.endsWith('.md'))].map(
  (path) => ({ path, text: readFileSync(join(root, path), 'utf8') }),
);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe.each(pages)('The page $path', ({ path, text }) => {
  it('links only to existing files and headings', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const dead = links.filter((target) => !/^https?:/.test(target) && !isThere(target));
    expect(dead).toEqual([]);
  });

  it('names only existing scripts', () => {
    const named = [...text.matchAll(/npm run (?:--silent |-s )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  function isThere(target: string): boolean {
    const [file = '', heading] = target.split('#');
    const linked = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, linked))) return false;
    if (heading === undefined) return true;
    const linkedText = readFileSync(join(root, linked), 'utf8');
    const headings = linkedText.matchAll(/^#+ (.*)$/gm);
    return (
      linkedText.includes(`<a id="${heading}">`) ||
      [...headings].some(([, title = '']) => toSlug(title) === heading)
    );
  }
});

it('the README has at most 150 lines', () => {
  const readme = pages.find(({ path }) => path === 'README.md')?.text ?? '';
  expect(readme.split('\n').length).toBeLessThanOrEqual(151);
});

function toSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
