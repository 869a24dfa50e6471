import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from './env-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-env-'));
  file = join(folder, '.env');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string, mode = 0o600): void {
  writeFileSync(file, text);
  chmodSync(file, mode);
}

describe('An env file (D-190)', () => {
  it('gives variables, and the environment overrides them', () => {
    write('# ours\nPORT=1\nexport HOST="::1"\nTOKEN_NAME=\'Test # Token\'\n');
    expect(readEnvironment({ PORT: '2', PATH: '/bin' }, file)).toEqual({
      ok: true,
      value: {
        environment: { PORT: '2', PATH: '/bin', HOST: '::1', TOKEN_NAME: 'Test # Token' },
        warnings: [],
      },
    });
  });

  it('does not replace an empty variable of the environment, which counts as not set', () => {
    write('RELAYER_KEY=0x12');
    expect(readEnvironment({ RELAYER_KEY: '' }, file)).toMatchObject({
      value: { environment: { RELAYER_KEY: '' } },
    });
  });

  it('may begin with a byte order mark', () => {
    write('\uFEFFPORT=1');
    expect(readEnvironment({}, file)).toMatchObject({ value: { environment: { PORT: '1' } } });
  });

  it('must exist if --env-file names it', () => {
    expect(readEnvironment({}, file)).toEqual({
      ok: false,
      fault: `The env file ${file} cannot be read (ENOENT). Let this user read it, or name another one with --env-file.`,
    });
  });

  it('must not be a folder', () => {
    mkdirSync(file);
    expect(readEnvironment({}, file)).toMatchObject({
      ok: false,
      fault: expect.stringContaining('(EISDIR)'),
    });
  });
});

describe('The mode of an env file (D-190)', () => {
  it.each([0o644, 0o640, 0o604, 0o620])(
    '%o causes a warning without the key if the file has a key',
    (mode) => {
      write('RELAYER_KEY=s3cret\nUPSTREAM_KEY=s3cret\nPORT=1\nCOMPLETION_KEY=', mode);
      const read = readEnvironment({}, file);
      expect(read).toMatchObject({
        value: {
          warnings: [
            `Other users of this machine may read or change ${file}, which holds RELAYER_KEY, UPSTREAM_KEY. Run chmod 600 ${file}.`,
          ],
        },
      });
    },
  );

  it.each([
    ['for its owner alone', 'RELAYER_KEY=s3cret\nDATABASE_URL=s3cret', 0o600],
    ['without a key', 'PORT=1\nTOKEN_ADDRESS=0x12\nRELAYER_KEY_FILE=relayer.key', 0o644],
    ['with an empty key', 'RELAYER_KEY=', 0o644],
  ])('causes no warning for a file %s', (_name, text, mode) => {
    write(text, mode);
    expect(readEnvironment({}, file)).toMatchObject({ value: { warnings: [] } });
  });
});
