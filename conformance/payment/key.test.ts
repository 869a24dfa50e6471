import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readKeyFile, readKeyText } from './key.ts';

const privateKey = `0x${'33'.repeat(32)}`;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeKeyFile(text: string, mode: number): string {
  const path = join(folder, 'payer.key');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('a key file', () => {
  it('is read if only its owner can read it', () => {
    expect(readKeyFile(writeKeyFile(`${privateKey}\n`, 0o600))).toEqual({ ok: true, privateKey });
    expect(readKeyFile(writeKeyFile(privateKey.slice(2), 0o400))).toEqual({ ok: true, privateKey });
  });

  it.each([0o640, 0o604])('is not read with mode %o', (mode) => {
    const read = readKeyFile(writeKeyFile(privateKey, mode));
    expect(read).toMatchObject({ ok: false, fault: expect.stringContaining('chmod 600') });
  });

  it.each([
    ['zeros', '00'.repeat(32)],
    ['a number above the order of the curve', 'ff'.repeat(32)],
  ])('is named in the fault if it contains %s', (_, digits) => {
    const read = readKeyFile(writeKeyFile(digits, 0o600));
    expect(read).toMatchObject({ ok: false, fault: expect.stringContaining('payer.key contains 32 bytes') });
    expect(JSON.stringify(read)).not.toContain(digits.slice(0, 8));
  });

  it('must not be a folder', () => {
    const read = readKeyFile(folder);
    expect(read).toMatchObject({
      ok: false,
      fault: `${folder} cannot be read: the path is a folder (EISDIR)`,
    });
  });

  it('is named in the fault if it is missing', () => {
    const read = readKeyFile(join(folder, 'nothing'));
    expect(read).toMatchObject({ ok: false, fault: expect.stringContaining('nothing') });
  });
});

it('does not quote an invalid key', () => {
  const read = readKeyText(`${privateKey}00`, 'CONFORMANCE_KEY');
  expect(read.ok).toBe(false);
  expect(JSON.stringify(read)).not.toContain('3333');
});
