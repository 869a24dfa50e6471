import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decoded } from './content-coding.ts';

const text = '{"error":{"message":"Nein – 無効です"}}';
const plain = Buffer.from(text);

it.each([
  ['no content coding', undefined, plain],
  ['identity', 'identity', plain],
  ['gzip', 'gzip', gzipSync(plain)],
  ['gzip in capitals', 'GZIP', gzipSync(plain)],
  ['br', 'br', brotliCompressSync(plain)],
  ['deflate', 'deflate', deflateSync(plain)],
  ['deflate without zlib header', 'deflate', deflateRawSync(plain)],
  ['two codings', 'gzip, br', brotliCompressSync(gzipSync(plain))],
])('decodes a body with %s', (_, codings, bytes) => {
  expect(decoded(bytes, codings, 1_000)).toEqual({ ok: true, bytes: plain });
});

it.each(['gzip', 'br', 'deflate'])('accepts an empty body with %s', (coding) => {
  expect(decoded(Buffer.alloc(0), coding, 1_000)).toEqual({ ok: true, bytes: Buffer.alloc(0) });
});

it.each(['gzip', 'br', 'deflate'])('rejects other bytes as %s', (coding) => {
  expect(decoded(plain, coding, 1_000)).toEqual({
    ok: false,
    isTooLong: false,
    fault: expect.stringContaining(coding),
  });
});

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
] as const)('stops a %s body that exceeds the bound', (coding, compress) => {
  const bomb = compress(Buffer.alloc(1_000_000));
  expect(bomb.length).toBeLessThan(2_000);
  expect(decoded(bomb, coding, 2_000)).toEqual({
    ok: false,
    isTooLong: true,
    fault: 'the response is longer than 2000 bytes',
  });
});

it('leaves bytes with an unknown coding unchanged', () => {
  expect(decoded(plain, 'constructor, zstd', 1_000)).toEqual({ ok: true, bytes: plain });
});
