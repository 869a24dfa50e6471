import { chainId } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { type Address, atomicAmount, type Bytes32 } from '../types/units.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import { createPayerStateReader } from './payer-state.ts';
import type { Rpc } from './rpc.ts';

const nonce = `0x${'77'.repeat(32)}` as Bytes32;
let devnet: Devnet;
let rpc: HttpRpc;
beforeAll(async () => {
  devnet = await startDevnet({ chainId });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, answerBytesMax: 1_048_576 });
});
afterAll(async () => {
  await rpc.close();
  await devnet.stop();
});

/** The chain, with its calls counted. */
function counted(): { rpc: Rpc; calls: () => number } {
  let calls = 0;
  return {
    rpc: {
      call: (method, params) => {
        calls++;
        return rpc.call(method, params);
      },
    },
    calls: () => calls,
  };
}

test('Questions of one turn are answered by one call, of one block, each for its own payer', async () => {
  const payers = await Promise.all([1n, 20n, 300n].map((units) => devnet.fundPayer(atomicAmount(units))));
  const chain = counted();
  const read = createPayerStateReader(chain.rpc, devnet.token.address);
  const states = await Promise.all(payers.map(({ address }) => read(address, nonce)));
  expect(states.map((state) => state.ok && state.value.balance)).toEqual([1n, 20n, 300n]);
  expect(new Set(states.map((state) => state.ok && state.value.block)).size).toBe(1);
  expect(states.every((state) => state.ok && !state.value.isSpent)).toBe(true);
  expect(chain.calls()).toBe(1);
});

test('Five hundred at once take three calls', async () => {
  const chain = counted();
  const read = createPayerStateReader(chain.rpc, devnet.token.address);
  const states = await Promise.all(Array.from({ length: 500 }, () => read(devnet.payer.address, nonce)));
  expect(states.every((state) => state.ok)).toBe(true);
  expect(chain.calls()).toBe(3);
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['an empty answer, as where no contract stands', '0x'],
  ['half an answer', `0x${'00'.repeat(40)}`],
])('From %s no balance is read, and the payer is not poor for it', async (_name, answer) => {
  const node: Rpc = { call: <T>() => Promise.resolve({ ok: true, value: answer as T }) };
  const state = await createPayerStateReader(node, devnet.token.address)(devnet.payer.address, nonce);
  expect(state).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
});

test('An asset that is no token has no payers', async () => {
  const read = createPayerStateReader(rpc, `0x${'44'.repeat(20)}` as Address);
  expect(await read(devnet.payer.address, nonce)).toMatchObject({ ok: false });
});
