import { endpoints } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { createKeccak } from '../chain/keccak.ts';
import type { OperationId } from '../http/contract.ts';
import { createCanonicalHash } from '../proof/canonical-hash.ts';
import type { Bytes32 } from '../types/units.ts';
import { fingerprintRequest } from './fingerprint.ts';

const canonicalHash = createCanonicalHash(await createKeccak());
const text = '{"model":"m","messages":[{"role":"user","content":"é 🙂"}],"max_tokens":16,"temperature":1}';

function fingerprint(json: string): string {
  return fingerprintRequest('createChatCompletion', 'batch', hashBody(JSON.parse(json)));
}

describe('D-19: one request', () => {
  it('is the same with other key order, white space and escapes', () => {
    const reordered =
      '{ "temperature": 1.0, "max_tokens": 1.6e1,\n"messages": [{"content":"\\u00e9 \\ud83d\\ude42","role":"user"}], "model": "m" }';
    expect(fingerprint(text)).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprint(reordered)).toBe(fingerprint(text));
  });

  it('differs when any value is changed, added or removed', () => {
    const others = [
      text.replace('16', '17'),
      text.replace('16', '"16"'),
      text.replace('"user"', '"system"'),
      text.replace('🙂', '🙃'),
      text.replace('"m"', '"M"'),
      text.replace(',"temperature":1', ''),
      text.replace('}]', '},{"role":"user","content":"x"}]'),
      text.replace('"model"', '"unknown_field":7,"model"'),
      text.replace('"model"', '"__proto__":{"a":1},"model"'),
    ].map(fingerprint);
    expect(new Set([fingerprint(text), ...others]).size).toBe(others.length + 1);
  });

  it('depends on the order of lists', () => {
    expect(fingerprint('{"a":[1,2]}')).not.toBe(fingerprint('{"a":[2,1]}'));
  });

  it('differs for every operation and settlement type', () => {
    const inputHash = hashBody(JSON.parse(text));
    const settlementTypes = ['private', 'individual', 'batch'] as const;
    const operations = Object.keys(endpoints) as OperationId[];
    const all = operations.flatMap((each) =>
      settlementTypes.map((type) => fingerprintRequest(each, type, inputHash)),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

it('Accepts a body at the depth limit and far deeper', () => {
  for (const depth of [100, 20_000]) {
    let nested: unknown = 1;
    for (let level = 0; level < depth; level++) nested = level % 2 === 0 ? [nested] : { nested };
    expect(hashBody(nested), String(depth)).toMatch(/^0x[0-9a-f]{64}$/);
  }
});

function hashBody(body: unknown): Bytes32 {
  const hash = canonicalHash(body);
  if (hash === null) throw new Error('no canonical form');
  return hash;
}
