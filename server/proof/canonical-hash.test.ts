import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { keccak256, toUtf8Bytes } from 'ethers';
import { describe, expect, it } from 'vitest';
import { createKeccak } from '../chain/keccak.ts';
import { createCanonicalHash } from './canonical-hash.ts';

const hash = createCanonicalHash(await createKeccak());
const hashJson = (json: string) => hash(JSON.parse(json));
const hashText = (text: string) => keccak256(toUtf8Bytes(text));

describe('The hash of a body, with the vectors of RFC 8785 (D-29)', () => {
  it.each([
    [
      'serialisation (3.2.2)',
      String.raw`{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false] }`,
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    ],
    [
      'order of keys by UTF-16 unit (3.2.3)',
      String.raw`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"}`,
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
  ])('follows %s', (_name, json, canonical) => {
    expect(hashJson(json)).toBe(hashText(canonical));
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s as %s (appendix B)', (bits, canonical) => {
    const value = Buffer.from(bits, 'hex').readDoubleBE();
    expect(hash([value])).toBe(hashText(`[${canonical}]`));
  });

  it.each([
    ['NaN', '7fffffffffffffff'],
    ['infinite', '7ff0000000000000'],
  ])('is null for a number that is %s (appendix B)', (_name, bits) => {
    expect(hash([Buffer.from(bits, 'hex').readDoubleBE()])).toBeNull();
  });

  it.each([
    ['half a surrogate pair', String.raw`{"a":"\ud800"}`],
    ['half a pair in a key', String.raw`{"\udc00":1}`],
    ['a number beyond a double', '{"a":1e400}'],
  ])('is null for %s', (_name, json) => {
    expect(hashJson(json)).toBeNull();
    expect(hash(undefined)).toBeNull();
  });
});

describe('Changes of a body and its hash (D-29)', () => {
  const json =
    '{"model":"m","messages":[{"role":"user","content":"naïve 🙂"}],"max_tokens":16,"temperature":1}';

  it('ignores the order of keys, white space, escapes and the spelling of numbers', () => {
    const other =
      '{ "temperature":1.0,\n "max_tokens":1.6e1, "messages":[{"content":"na\\u00efve \\ud83d\\ude42","role":"user"}],"model":"m"}';
    expect(hashJson(other)).toBe(hashJson(json));
    expect(hashJson(json)).toBe(
      hashText(
        '{"max_tokens":16,"messages":[{"content":"naïve 🙂","role":"user"}],"model":"m","temperature":1}',
      ),
    );
  });

  it('depends on every byte of a value, and does not normalise Unicode', () => {
    const others = [
      json.replace('16', '17'),
      json.replace('16', '"16"'),
      json.replace('naïve', 'nai\u0308ve'),
      json.replace('🙂', '🙃'),
      json.replace('"user"', '"User"'),
      json.replace('"m"', '"m "'),
      json.replace(',"temperature":1', ''),
      json.replace('"model"', '"nobody_knows":null,"model"'),
    ].map(hashJson);
    expect(new Set([hashJson(json), ...others]).size).toBe(others.length + 1);
    expect(others).not.toContain(null);
  });

  it('hashes the received body, because validation writes no default into it', () => {
    const chat = '{"model":"m","messages":[{"role":"user","content":"x"}],"unknown":{"n":1}}';
    const text = '{"prompt":"x","model":"m"}';
    for (const [validate, sent] of [
      [ChatCompletionRequest, chat],
      [CompletionRequest, text],
    ] as const) {
      const body = JSON.parse(sent);
      expect(validate(body)).toBe(true);
      expect(JSON.stringify(body)).toBe(sent);
    }
  });
});
