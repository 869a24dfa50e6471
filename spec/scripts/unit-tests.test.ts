import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listUnitTests } from './unit-tests.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unit-tests-'));
  plant('server/process.ts', "import { spawn } from 'node:child_process';\nexport const start = spawn;\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

it('lists a test whose imports start no process', () => {
  plant('server/a.test.ts', "import { readFileSync } from 'node:fs';\nreadFileSync('a');\n");
  expect(listUnitTests(folder)).toEqual(['server/a.test.ts']);
});

it.each([
  ['itself', "import {\n  spawn,\n} from 'node:child_process';\nspawn('a');\n"],
  ['through another file', "import { start } from './process.ts';\nstart('a');\n"],
  ['through an export of another file', "export * from './process.ts';\n"],
  ['by a dynamic import', "const { start } = await import('./process.ts');\nstart('a');\n"],
  ['by an import without names', "import './process.ts';\n"],
])('leaves out a test that imports a process %s', (_way, text) => {
  plant('server/a.test.ts', text);
  expect(listUnitTests(folder)).toEqual([]);
});

it('lists a test that imports a type alone from a file that starts processes', () => {
  plant('server/a.test.ts', "import type { start } from './process.ts';\nexport type A = typeof start;\n");
  expect(listUnitTests(folder)).toEqual(['server/a.test.ts']);
});

it('leaves out a test that runs the whole suite', () => {
  plant('conformance/suite/judge.ts', 'export const judge = 1;\n');
  plant('conformance/a.test.ts', "import { judge } from './suite/judge.ts';\nexport const a = judge;\n");
  expect(listUnitTests(folder)).toEqual([]);
});
