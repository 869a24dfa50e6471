import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string) => join(root, 'node_modules/.bin', name);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  plant('tsconfig.json', '{}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function run(program: string, parameters: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin(program), ...parameters], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const cruise = (config = 'dependency-cruiser.mjs') =>
  run('depcruise', ['--config', join(root, '.config', config), 'server']);

describe('The imports between folders', () => {
  it('pass when a folder imports a listed folder', () => {
    plant('server/gateway.ts', "import './store/store.ts';\n");
    plant('server/types/units.ts', 'export const zero = 0;\n');
    plant('server/store/store.ts', "import { zero } from '../types/units.ts';\nexport const start = zero;\n");
    expect(cruise()).toMatchObject({ status: 0 });
  });

  it('fail when a folder imports an unlisted folder', () => {
    plant('server/http/app.ts', 'export type App = string;\n');
    plant('server/store/store.ts', "import type { App } from '../http/app.ts';\nexport type Store = App;\n");
    const { status, output } = cruise();
    expect(status).not.toBe(0);
    expect(output).toMatch(/server\/store: server\/store\/store\.ts → server\/http\/app\.ts/);
  });

  it('fail when two files import each other, even if only types', () => {
    plant('server/types/a.ts', "import type { B } from './b.ts';\nexport type A = B | null;\n");
    plant('server/types/b.ts', "import type { A } from './a.ts';\nexport type B = A | null;\n");
    const { status, output } = cruise();
    expect(status).not.toBe(0);
    expect(output).toContain('no-cycle');
  });

  it('fail when shipped code imports test support', () => {
    plant('server/testing/fake.ts', 'export const fake = 1;\n');
    plant(
      'server/store/store.ts',
      "import { fake } from '../testing/fake.ts';\nexport const store = fake;\n",
    );
    expect(cruise().output).toContain('not-to-tests');
  });

  it('fail when only a test imports a file outside testing/', () => {
    plant('server/gateway.ts', "import './store/store.ts';\n");
    plant('server/store/store.ts', 'export const store = 1;\n');
    plant('server/store/fake.ts', 'export const fake = 1;\n');
    plant('server/testing/store/other-fake.ts', 'export const otherFake = 1;\n');
    plant(
      'server/store/store.test.ts',
      "import './fake.ts';\nimport './store.ts';\nimport '../testing/store/other-fake.ts';\n",
    );
    const { status, output } = cruise();
    expect(status).not.toBe(0);
    expect(output.match(/only-for-tests: .*/g)).toEqual(['only-for-tests: server/store/fake.ts']);
  });

  it('fail when two folders import each other through different files', () => {
    plant('server/proof/a/start.ts', "import '../b/middle.ts';\n");
    plant('server/proof/b/middle.ts', "import '../a/end.ts';\n");
    plant('server/proof/a/end.ts', 'export const end = 1;\n');
    const { status, output } = cruise('dependency-cruiser.folders.mjs');
    expect(status).not.toBe(0);
    expect(output).toContain('no-folder-cycle: server/proof/a');
  });

  it('pass when folders import each other only in tests', () => {
    plant('server/proof/a/start.ts', "import '../b/middle.ts';\n");
    plant('server/proof/b/middle.ts', 'export const middle = 1;\n');
    plant('server/proof/b/middle.test.ts', "import '../a/start.ts';\n");
    expect(cruise('dependency-cruiser.folders.mjs')).toMatchObject({ status: 0 });
  });

  it('fail for a folder that the table does not name', () => {
    plant('server/elsewhere/a.ts', "import '../types/units.ts';\n");
    plant('server/types/units.ts', 'export const zero = 0;\n');
    expect(cruise().output).toContain('unlisted-folder');
  });
});

describe('The length of functions', () => {
  function lint(lines: number) {
    plant('server/planted.ts', `export function planted(): void {\n${'  planted();\n'.repeat(lines)}}\n`);
    return run('biome', ['lint', '--config-path', root, '--vcs-enabled=false', 'server/planted.ts']);
  }

  it('passes at 60 lines', () => {
    expect(lint(60)).toMatchObject({ status: 0 });
  });

  it('fails at 80 lines', () => {
    expect(lint(80).output).toContain('noExcessiveLinesPerFunction');
  });
});

describe('A nested conditional expression', () => {
  const nested = 'export const planted = (a: number) => (a > 1 ? 2 : a > 0 ? 1 : 0);\n';

  it.each(['conformance/checks/chain/planted.ts', 'conformance/engine/planted.ts'])('fails in %s', (path) => {
    plant(path, nested);
    expect(run('biome', ['lint', '--config-path', root, '--vcs-enabled=false', path]).output).toContain(
      'noNestedTernary',
    );
  });
});
