import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;
const allowed = new Set([
  '@paid-inference/contract/constants',
  '@paid-inference/contract/openapi.json',
  '@paid-inference/contract/requirements',
  '@paid-inference/contract/types',
  '@paid-inference/contract/validators',
  'canonicalize',
  'commander',
  'ethers',
  'fast-check',
  'picocolors',
  'yaml',
]);

/** Header codecs and EIP-712 values of the contract package are what this suite is a second reader of. */
it('imports nothing of server, client, or the code that it witnesses', () => {
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts', 'node_modules/**'] });
  expect(files.length).toBeGreaterThan(30);
  const strangers = files.flatMap((file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const specifiers = [...source.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(
      (m) => m[1] ?? m[2] ?? '',
    );
    return (
      specifiers
        .filter((name) => !name.startsWith('.') && !isBuiltin(name) && !allowed.has(name))
        // A peer of whoever imports this one file; the rest runs without it.
        .filter((name) => file !== 'vitest.ts' || name !== 'vitest')
        .map((name) => `${file}: ${name}`)
    );
  });
  expect(strangers).toEqual([]);
});

it('stays within its own folder, where it does not break the reference gateway to test itself', () => {
  const files = globSync('**/*.ts', {
    cwd: folder,
    // Tests, which are not shipped: they make mutants of the gateway at the ports that its embedders have.
    exclude: ['node_modules/**', 'mutants/reference/**'],
  });
  for (const file of files) {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const up = '../'.repeat(file.split('/').length);
    expect(source, file).not.toContain(`from '${up}`);
  }
});

it('ships nothing that needs its mutants, its independent implementation or its test doubles', () => {
  const ownTests = ['**/*.test.ts', 'mutants/**', 'independent/**', 'testing/**'];
  // Run while developing; what it writes is shipped.
  const tools = ['catalogue/main.ts'];
  const files = globSync('**/*.ts', { cwd: folder, exclude: [...ownTests, ...tools, 'node_modules/**'] });
  const strangers = files.filter((file) =>
    /from '[^']*\/(mutants|independent|testing)\//.test(readFileSync(`${folder}/${file}`, 'utf8')),
  );
  expect(strangers).toEqual([]);
});

it('has an independent implementation that shares no code with the suite', () => {
  const files = globSync('independent/*.ts', { cwd: folder });
  expect(files.length).toBeGreaterThan(1);
  const imports = files.flatMap((file) =>
    [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bfrom '([^']+)'/g)].map(
      (found) => found[1] ?? '',
    ),
  );
  // Whatever else: HTTP, and the curve that EIP-712 signatures are made with.
  const strangers = imports.filter((name) => !/^(node:.+|ethers|\.\/[\w-]+\.ts)$/.test(name));
  expect(strangers).toEqual([]);
});
