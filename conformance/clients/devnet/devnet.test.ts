import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from './devnet.ts';
import token from './token.json' with { type: 'json' };

let devnet: Devnet;

beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet.stop());

it('has the token of the reference devnet', () => {
  const path = new URL('../../../server/contracts/artifacts/PaymentToken.json', import.meta.url);
  const { bytecode }: { bytecode: string } = JSON.parse(readFileSync(path, 'utf8'));
  expect(token.bytecode).toBe(bytecode);
});

describe('the devnet', () => {
  it('refuses an authorization without a valid signature, and nothing is spent', async () => {
    const authorization = {
      from: devnet.payer.address.toLowerCase(),
      to: `0x${'12'.repeat(20)}`,
      value: 5n,
      validAfter: 0n,
      validBefore: 4_000_000_000n,
      nonce: `0x${'34'.repeat(32)}`,
    };
    const signature = `0x${'56'.repeat(64)}1b`;
    expect(await devnet.settle({ authorization, signature, text: '' })).toBe(undefined);
    expect(await devnet.spentUnits()).toBe(0n);
  });

  it('is gone after its stop', async () => {
    const other = await startDevnet();
    await other.stop();
    const asked = fetch(other.rpcUrl, { method: 'POST', body: '{}' });
    await expect(asked).rejects.toThrow('fetch failed');
  });
});
