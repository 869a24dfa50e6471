import { describe, expect, it } from 'vitest';
import { readQuery, readTarget } from './target.ts';

describe('a request target', () => {
  it.each([
    ['/v1/models', '/v1/models', ''],
    ['/v1/attestation?nonce=0x01&x=%2f', '/v1/attestation', 'nonce=0x01&x=%2f'],
    ['/v1/../health?', '/health', ''],
    ['//health', '//health', ''],
    ['/a%2Fb?x#y?z', '/a%2Fb', 'x'],
    ['http://elsewhere.example/v1/models?a=b', '/v1/models', 'a=b'],
    ['HTTPS://\u00e4:%zz@/v1/models', '/v1/models', ''],
    ['http://elsewhere.example', '', ''],
    ['http://elsewhere.example?a', '', ''],
    ['elsewhere.example:443', '', ''],
    ['*', '', ''],
  ])('%s has the path "%s" and the query "%s"', (text, path, query) => {
    expect(readTarget(text)).toEqual({ path, query });
  });
});

describe('a query', () => {
  it('gives the declared parameters, decoded, and the last one of a name', () => {
    const query = 'nonce=1&other=2&nonce=a%2fb+c&signer';
    expect(readQuery(query, ['nonce', 'signer'])).toEqual({ nonce: 'a/b c', signer: '' });
    expect(readQuery('nonces=1&xnonce=2', ['nonce'])).toEqual({});
    expect(readQuery('nonce=%80', ['nonce'])).toEqual({ nonce: '\ufffd' });
  });

  it('gives nothing where no parameter is declared', () => {
    expect(readQuery('nonce=1', [])).toEqual({});
  });
});
