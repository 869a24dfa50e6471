import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeJson, encodeBase64Json } from './base64-json.ts';

describe('strict base64', () => {
  it('decodes its own output, with and without padding', () => {
    for (const value of [{ a: 1 }, { ab: 'é' }, { abc: '😀' }, {}]) {
      const text = encodeBase64Json(value);
      for (const variant of [text, text.replace(/=+$/, '')]) {
        const bytes = decodeBase64(variant);
        expect(bytes.ok && decodeJson(bytes.value)).toEqual({ ok: true, value });
      }
    }
  });

  it.each([
    ['nothing', ''],
    ['the URL-safe alphabet', 'eyJhIjoiPz8_In0='],
    ['a line break', 'eyJh\nIjoxfQ=='],
    ['an extra character', 'eyJhI'],
    ['too much padding', 'e30=='],
    ['JSON itself', '{"a":1}'],
  ])('rejects %s', (_, text) => {
    expect(decodeBase64(text).ok).toBe(false);
  });

  it('reads JSON in UTF-8 only', () => {
    expect(decodeJson(Buffer.from([0x22, 0xe9, 0x22])).ok).toBe(false);
    expect(decodeJson(Buffer.from('{"a":')).ok).toBe(false);
  });
});
