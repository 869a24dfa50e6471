import { describe, expect, it } from 'vitest';
import { maskUrl } from './mask-url.ts';

const key = '0123456789abcdef0123456789abcdef';

describe('A URL in the output (D-190)', () => {
  it.each([
    ['user and password', 'https://user:s3cret@node.example/rpc', 'https://***:***@node.example/rpc'],
    ['a password alone', 'https://:s3cret@node.example/', 'https://:***@node.example/'],
    ['a key in the path', `https://node.example/v2/${key}/rpc`, 'https://node.example/v2/***/rpc'],
    ['a short key in the path', 'https://node.example/v2/k3y-s3cret', 'https://node.example/v2/***'],
    [
      'a key in the query',
      `https://node.example/?a=1&apikey=${key}`,
      'https://node.example/?a=***&apikey=***',
    ],
    ['a key without a name in the query', 'https://node.example/?s3cret', 'https://node.example/?***'],
    ['a key in the fragment', 'https://node.example/#s3cret', 'https://node.example/#***'],
    ['a key in the host', `https://${key}.node.example/`, 'https://***.node.example/'],
  ])('has *** for %s', (_name, url, shown) => {
    expect(maskUrl(url)).toBe(shown);
    expect(URL.canParse(shown)).toBe(true);
  });

  it.each([
    'https://node.example',
    'http://127.0.0.1:8545',
    'http://[::1]:8545',
    'https://base-sepolia.node.example/v2/base-sepolia/rpc',
    'https://facilitator.example/x402',
  ])('without a key stays as written: %s', (url) => {
    expect(maskUrl(url)).toBe(url);
  });
});
