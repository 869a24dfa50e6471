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
/** Packages that only one file may import: a peer dependency and a development dependency. */
const allowedIn: Readonly<Record<string, string>> = {
  'vitest.ts': 'vitest',
  'testing/fast-signatures.ts': 'secp256k1',
  'testing/report-schema.ts': 'ajv/dist/2020.js',
};

/**
 * The suite must not use header codecs and EIP-712 values of the contract package, because it is an independent
 * witness of them.
 */
it('imports nothing of server and client, and no code that it checks', () => {
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts', 'node_modules/**'] });
  expect(files.length).toBeGreaterThan(30);
  const strangers = files.flatMap((file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const specifiers = [...source.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(
      (m) => m[1] ?? m[2] ?? '',
    );
    return specifiers
      .filter((name) => !name.startsWith('.') && !isBuiltin(name) && !allowed.has(name))
      .filter((name) => allowedIn[file] !== name)
      .map((name) => `${file}: ${name}`);
  });
  expect(strangers).toEqual([]);
});

it('imports nothing outside its folder, except for mutants of the reference gateway', () => {
  const files = globSync('**/*.ts', {
    cwd: folder,
    // These mutants are not shipped. They break the reference gateway at the ports of its embedders.
    exclude: ['node_modules/**', 'mutants/reference/**'],
  });
  for (const file of files) {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const up = '../'.repeat(file.split('/').length);
    expect(source, file).not.toContain(`from '${up}`);
  }
});

it('ships nothing that imports mutants, the independent implementation or test doubles', () => {
  const ownTests = [
    '**/*.test.ts',
    'mutants/**',
    'clients/official/**',
    'independent/**',
    'stacks/**',
    'testing/**',
  ];
  // Development tools; only their output is shipped.
  const tools = ['catalogue/main.ts', 'catalogue/clients.ts'];
  const files = globSync('**/*.ts', { cwd: folder, exclude: [...ownTests, ...tools, 'node_modules/**'] });
  const strangers = files.filter((file) =>
    /from '[^']*\/(mutants|independent|testing)\//.test(readFileSync(`${folder}/${file}`, 'utf8')),
  );
  expect(strangers).toEqual([]);
});

it('shares no code with the independent implementation', () => {
  const files = globSync('independent/*.ts', { cwd: folder });
  expect(files.length).toBeGreaterThan(1);
  const imports = files.flatMap((file) =>
    [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/\bfrom '([^']+)'/g)].map(
      (found) => found[1] ?? '',
    ),
  );
  // Allowed: HTTP, and the elliptic curve of EIP-712 signatures.
  const strangers = imports.filter((name) => !/^(node:.+|ethers|\.\/[\w-]+\.ts)$/.test(name));
  expect(strangers).toEqual([]);
});
