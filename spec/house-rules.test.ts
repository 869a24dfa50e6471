import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { isTest, type Source, sources, typescriptSources, withoutComments } from './scripts/sources.ts';

const written = sources.filter((source) => source.package !== 'generated');
const shipped = typescriptSources.filter(({ path }) => !isTest(path) && !path.startsWith('generated/'));

it('no source is longer than 300 lines', () => {
  const long = written.filter(
    ({ path, text }) => /\.(ts|mts|tsp|sol|js|mjs|py)$/.test(path) && countLines(text) > 300,
  );
  expect(long.map(({ path, text }) => `${path}: ${countLines(text)}`)).toEqual([]);
});

it('only the clocks read the time, and no source draws random numbers', () => {
  const clocks = [
    'client/clock.ts',
    'conformance/clients/clock.ts',
    'conformance/engine/judge.ts',
    'server/types/clock.ts',
    // A real chain compares these signatures with its own time, so they need the real time.
    'client/testing/cli.ts',
    'conformance/independent/gateway.ts',
    'conformance/mutants/payment-forge.ts',
    'server/request/bad-payment.test.ts',
    'server/testing/payer.ts',
  ];
  expect(pathsRunning(typescriptSources, /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/)).toEqual(
    clocks.sort(),
  );
});

it('only entry points read the environment', () => {
  const entries = [
    'client/cli.ts',
    'conformance/cli.ts',
    // Passes the environment on to the toolchains of the stacks.
    'conformance/stacks/main.ts',
    'server/main.ts',
    // Pass PATH on to npm and to llama.cpp's server.
    'server/llama-trial/main.ts',
    'server/llama-trial/real-model.ts',
    'server/contracts/deploy-ledger.ts',
    // Passes PATH on to the gateway that it starts.
    'client/demo/gateway-process.ts',
  ];
  const readers = pathsRunning(shipped, /\bprocess\.env\b/).filter(
    (path) => !path.startsWith('spec/scripts/'),
  );
  expect(readers).toEqual(entries.sort());
});

it('no source has a mark for later work', () => {
  const marks = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`);
  expect(pathsWith(written, marks)).toEqual([]);
});

it('no test is focused, skipped or planned', () => {
  const cut = /\b(it|test|describe)\.(only|skip|todo)\b/;
  expect(
    pathsWith(
      typescriptSources.filter(({ path }) => isTest(path) && path !== 'spec/house-rules.test.ts'),
      cut,
    ),
  ).toEqual([]);
});

it('no source contains a path of a machine', () => {
  const path = new RegExp(`(^|[^\\w.-])/(${['work', 'root', 'home', 'Users'].join('|')})/\\w`, 'm');
  expect(pathsWith(sources, path)).toEqual([]);
});

it('no source contains a brand of a model or its provider', () => {
  // The first 12 digits of the SHA-256 of the names, so that this file does not contain them.
  const brands = new Set(
    (
      '5388bc10736a 5d72436256ad 60965168ce76 67f2d2251462 6f7ac1823da8 72e8088a05b3 ' +
      '920510199770 add92b9cde2b c70eca6b0f88 c857d09db23e c97504235ab1 e4f9c522e1c8'
    ).split(' '),
  );
  const found = sources.flatMap(({ path, text }) =>
    [...new Set(text.toLowerCase().match(/[a-z]{4,}/g))]
      .filter((word) => brands.has(digest(word)))
      .map((word) => `${path}: ${word}`),
  );
  expect(found).toEqual([]);
});

function pathsWith(among: readonly Source[], pattern: RegExp): string[] {
  return among
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();
}

/** Like `pathsWith`, but ignores comments, which may name what the code must not do. */
function pathsRunning(among: readonly Source[], pattern: RegExp): string[] {
  return pathsWith(
    among.map((source) => ({ ...source, text: withoutComments(source.text) })),
    pattern,
  );
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

function digest(word: string): string {
  return createHash('sha256').update(word).digest('hex').slice(0, 12);
}
