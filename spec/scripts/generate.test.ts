import { execFile } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./generate.ts', import.meta.url));
const generated = fileURLToPath(new URL('../../generated', import.meta.url));
/** One compilation takes about four seconds. The timeout allows for a busy machine. */
const compileTimeoutMs = 60_000;

let scratch = '';
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'paid-inference-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('npm run generate', () => {
  it(
    'writes the committed bytes from any working folder and with any temporary folder',
    async () => {
      const into = join(scratch, 'twice');
      const first = await generate(['--into', into], { cwd: '/', temporary: 'one' });
      expect(first.code, first.output).toBe(0);
      const names = readdirSync(into).sort();
      expect(names).toEqual(
        readdirSync(generated)
          .filter((name) => name !== 'package.json')
          .sort(),
      );
      for (const name of names) expect(content(into, name), name).toBe(content(generated, name));

      const second = await generate(['--check', '--into', into], {
        cwd: scratch,
        temporary: 'another, deeper',
      });
      expect(second).toEqual({ code: 0, output: 'generated/ matches spec/\n' });
      expect(readdirSync(join(scratch, 'another, deeper')), 'the temporary folder is empty').toEqual([]);
    },
    2 * compileTimeoutMs,
  );

  it(
    '--check reports a changed, a missing and an additional file, and changes nothing',
    async () => {
      const into = join(scratch, 'damaged');
      mkdirSync(join(into, 'more'), { recursive: true });
      for (const name of readdirSync(generated)) writeFileSync(join(into, name), content(generated, name));
      appendFileSync(join(into, 'types.ts'), '\n');
      rmSync(join(into, 'errors.ts'));
      writeFileSync(join(into, 'more', 'left-over.ts'), '');
      const before = readdirSync(into, { recursive: true });

      const { code, output } = await generate(['--check', '--into', into], { cwd: '/', temporary: 'one' });
      expect(code).toBe(1);
      expect(output.split('\n').filter((line) => line.startsWith('  '))).toEqual([
        '  errors.ts: missing',
        '  more/left-over.ts: not emitted from spec/',
        '  types.ts: differs',
      ]);
      expect(readdirSync(into, { recursive: true })).toEqual(before);
    },
    compileTimeoutMs,
  );
});

function content(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function generate(
  args: readonly string[],
  { cwd, temporary }: { readonly cwd: string; readonly temporary: string },
): Promise<{ readonly code: number; readonly output: string }> {
  const folder = join(scratch, temporary);
  mkdirSync(folder, { recursive: true });
  // Without other variables, because warnings about colours and the output of DEBUG would count as output.
  const environment = { PATH: process.env['PATH'] ?? '', TMPDIR: folder, TMP: folder, TEMP: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd, env: environment }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    });
  });
}
