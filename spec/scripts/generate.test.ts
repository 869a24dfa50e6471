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
/** The files of the only compilation. All tests use them. */
let emitted = '';
let written: Awaited<ReturnType<typeof generate>>;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'paid-inference-test-'));
  emitted = join(scratch, 'emitted');
  written = await generate(['--into', emitted], { cwd: '/', temporary: 'another, deeper' });
}, compileTimeoutMs);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('npm run generate', () => {
  it('writes the committed bytes from any working folder and with any temporary folder', () => {
    expect(written.code, written.output).toBe(0);
    const names = readdirSync(emitted).sort();
    expect(names).toEqual(
      readdirSync(generated)
        .filter((name) => name !== 'package.json')
        .sort(),
    );
    for (const name of names) expect(content(emitted, name), name).toBe(content(generated, name));
  });

  it('leaves nothing in the temporary folder', () => {
    expect(readdirSync(join(scratch, 'another, deeper'))).toEqual([]);
  });

  it('--check accepts the written files', async () => {
    expect(await check(emitted)).toEqual({ code: 0, output: 'generated/ matches spec/\n' });
  });

  it('--check reports a changed, a missing and an additional file, and changes nothing', async () => {
    const into = join(scratch, 'damaged');
    mkdirSync(join(into, 'more'), { recursive: true });
    for (const name of readdirSync(generated)) writeFileSync(join(into, name), content(generated, name));
    appendFileSync(join(into, 'types.ts'), '\n');
    rmSync(join(into, 'errors.ts'));
    writeFileSync(join(into, 'more', 'left-over.ts'), '');
    const before = readdirSync(into, { recursive: true });

    const { code, output } = await check(into);
    expect(code).toBe(1);
    expect(output.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      '  errors.ts: missing',
      '  more/left-over.ts: not emitted from spec/',
      '  types.ts: differs',
    ]);
    expect(readdirSync(into, { recursive: true })).toEqual(before);
  });
});

function content(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function check(into: string): ReturnType<typeof generate> {
  return generate(['--check', '--emitted', emitted, '--into', into], { cwd: scratch, temporary: 'one' });
}

function generate(
  args: readonly string[],
  { cwd, temporary }: { readonly cwd: string; readonly temporary: string },
): Promise<{ readonly code: number; readonly output: string }> {
  const folder = join(scratch, temporary);
  mkdirSync(folder, { recursive: true });
  // Without other variables, because warnings about colours and the output of DEBUG would count as output.
  const environment = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    TMPDIR: folder,
    TMP: folder,
    TEMP: folder,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd, env: environment }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    });
  });
}
