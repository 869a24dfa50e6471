import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;
const allowed = new Set([
  '@paid-inference/contract/constants',
  '@paid-inference/contract/requirements',
  '@paid-inference/contract/types',
  '@paid-inference/contract/validators',
  'commander',
  'ethers',
  'picocolors',
]);

/** Header codecs and EIP-712 values of the contract package are what this suite is a second witness of. */
it('imports nothing of server, client, or the code that it witnesses', () => {
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts', 'node_modules/**'] });
  expect(files.length).toBeGreaterThan(30);
  const strangers = files.flatMap((file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const specifiers = [...source.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(
      (m) => m[1] ?? m[2] ?? '',
    );
    return specifiers
      .filter((name) => !name.startsWith('.') && !isBuiltin(name) && !allowed.has(name))
      .map((name) => `${file}: ${name}`);
  });
  expect(strangers).toEqual([]);
});

it('stays within its own folder', () => {
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['node_modules/**'] });
  for (const file of files) {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const up = '../'.repeat(file.split('/').length);
    expect(source, file).not.toContain(`from '${up}`);
  }
});
