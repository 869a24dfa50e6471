import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { randomValues } from '../testing/chain/random-values.ts';
import { type Address, atomicAmount } from '../types/units.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import { multicallAddress } from './multicall.ts';
import type { Rpc } from './rpc.ts';
import { createPaymentToken } from './token.ts';

const random = randomValues(1);
let devnet: Devnet;
let rpc: HttpRpc;

beforeAll(async () => {
  devnet = await startDevnet({ chainId: 84_532 });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 100_000 });
});

afterAll(async () => {
  await rpc?.close();
  await devnet?.stop();
});

function token(asset: Address = devnet.token.address) {
  return createPaymentToken({ rpc, asset });
}

/** Puts a contract of a few bytes at a new address. */
async function place(code: string): Promise<Address> {
  const address = random.address();
  expect((await rpc.call('anvil_setCode', [address, code])).ok).toBe(true);
  return address;
}

test('A balance is the minted amount, at latest and at pending, and zero for a new holder', async () => {
  const holder = random.address();
  expect(await token().balanceOf(holder)).toEqual({ ok: true, value: 0n });
  await devnet.mintTo(holder, atomicAmount(123_456n));
  expect(await token().balanceOf(holder)).toEqual({ ok: true, value: 123_456n });
  expect(await token().balanceOf(holder, 'pending')).toEqual({ ok: true, value: 123_456n });
});

test('A balance beyond the safe integers is read exactly', async () => {
  const holder = random.address();
  const amount = atomicAmount((1n << 255n) + 1n);
  await devnet.mintTo(holder, amount);
  expect(await token().balanceOf(holder)).toEqual({ ok: true, value: amount });
});

test('An unused nonce is not spent', async () => {
  expect(await token().authorizationState(random.address(), random.bytes32())).toEqual({
    ok: true,
    value: false,
  });
});

describe('The token is unavailable, never a zero balance or an unspent nonce, when the contract returns', () => {
  const unavailable = { ok: false, fault: { kind: 'unavailable', message: expect.any(String) } };
  const cases: [string, string][] = [
    ['nothing, as without a contract', '0x'],
    // PUSH1 64 PUSH0 RETURN
    ['two words', '0x60405ff3'],
    // PUSH1 31 PUSH0 RETURN
    ['a word cut short', '0x601f5ff3'],
  ];
  test.each(cases)('%s', async (_name, code) => {
    const thirdParty = token(await place(code));
    expect(await thirdParty.balanceOf(random.address())).toEqual(unavailable);
    expect(await thirdParty.authorizationState(random.address(), random.bytes32())).toEqual(unavailable);
    expect(await thirdParty.domainSeparator()).toEqual(unavailable);
  });

  test('a number instead of a flag', async () => {
    // PUSH1 2 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
    const thirdParty = token(await place('0x60025f5260205ff3'));
    expect(await thirdParty.authorizationState(random.address(), random.bytes32())).toEqual(unavailable);
    expect(await thirdParty.balanceOf(random.address())).toEqual({ ok: true, value: 2n });
  });
});

test('A contract that reverts is a refusal of the chain, with the revert’s data', async () => {
  // PUSH0 PUSH0 REVERT
  const thirdParty = token(await place('0x5f5ffd'));
  expect(await thirdParty.balanceOf(random.address())).toMatchObject({ fault: { kind: 'refused', code: 3 } });
});

describe('Gathered readings (D-359)', () => {
  /** Reads many payers at once, through a node that changes the response to a call of Multicall3. */
  async function readMany(change: (response: Awaited<ReturnType<Rpc['call']>>) => unknown = (own) => own) {
    let calls = 0;
    const call: Rpc['call'] = async <T>(...parameters: Parameters<Rpc['call']>) => {
      calls += 1;
      const response = await rpc.call<T>(...parameters);
      const isShared = JSON.stringify(parameters).includes(multicallAddress);
      return (isShared ? change(response) : response) as typeof response;
    };
    const gathered = createPaymentToken({ rpc: { call }, asset: devnet.token.address, isGathered: true });
    const holder = random.address();
    await devnet.mintTo(holder, atomicAmount(7n));
    const results = await Promise.all([
      gathered.balanceOf(holder),
      ...Array.from({ length: 9 }, () => gathered.authorizationState(holder, random.bytes32())),
    ]);
    return { results, calls };
  }

  const right = [{ ok: true, value: 7n }, ...Array(9).fill({ ok: true, value: false })];

  test('share one call', async () => {
    expect(await readMany()).toEqual({ results: right, calls: 1 });
  });

  test.each([
    ['returns another result', { ok: true, value: '0x' }],
    ['refuses it', { ok: false, fault: { kind: 'refused', code: -32_000, message: 'too large' } }],
  ])('are made one by one at a node that %s', async (_what, response) => {
    expect(await readMany(() => response)).toEqual({ results: right, calls: 11 });
  });

  test('are not repeated while the node is away', async () => {
    const away = { ok: false, fault: { kind: 'unavailable', message: 'away' } };
    expect(await readMany(() => away)).toEqual({ results: Array(10).fill(away), calls: 1 });
  });
});
