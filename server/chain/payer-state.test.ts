import { setImmediate as nextTurn } from 'node:timers/promises';
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
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
});
afterAll(async () => {
  await rpc.close();
  await devnet.stop();
});

/** The chain, with a count of its calls. */
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

test('Questions of one turn share one call at one block, and each has the state of its own payer', async () => {
  const payers = await Promise.all([1n, 20n, 300n].map((units) => devnet.fundPayer(atomicAmount(units))));
  const chain = counted();
  const read = createPayerStateReader(chain.rpc, devnet.token.address);
  const states = await Promise.all(payers.map(({ address }) => read(address, nonce)));
  expect(states.map((state) => state.ok && state.value.balance)).toEqual([1n, 20n, 300n]);
  expect(new Set(states.map((state) => state.ok && state.value.block)).size).toBe(1);
  expect(states.every((state) => state.ok && !state.value.isSpent)).toBe(true);
  expect(chain.calls()).toBe(1);
});

test('Five hundred questions at once take three calls', async () => {
  const chain = counted();
  const read = createPayerStateReader(chain.rpc, devnet.token.address);
  const states = await Promise.all(Array.from({ length: 500 }, () => read(devnet.payer.address, nonce)));
  expect(states.every((state) => state.ok)).toBe(true);
  expect(chain.calls()).toBe(3);
});

test('Questions in many turns make eight calls at once, and the others share the next call (D-227)', async () => {
  const chain = counted();
  const held = Promise.withResolvers<void>();
  const slow: Rpc = {
    async call(method, params) {
      const response = chain.rpc.call(method, params);
      await held.promise;
      return response as never;
    },
  };
  const read = createPayerStateReader(slow, devnet.token.address);
  const asked = [];
  for (let turn = 0; turn < 40; turn++) {
    asked.push(read(devnet.payer.address, nonce));
    await nextTurn();
    await nextTurn();
  }
  expect(chain.calls()).toBe(8);
  held.resolve();
  const states = await Promise.all(asked);
  expect(states.every((state) => state.ok)).toBe(true);
  expect(chain.calls()).toBe(9);
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['an empty result, as where no contract exists', '0x'],
  ['half a result', `0x${'00'.repeat(40)}`],
])('reads no balance, rather than zero, from %s', async (_name, response) => {
  const node: Rpc = { call: <T>() => Promise.resolve({ ok: true, value: response as T }) };
  const state = await createPayerStateReader(node, devnet.token.address)(devnet.payer.address, nonce);
  expect(state).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
});

test('reads no payer of an asset that is no token', async () => {
  const read = createPayerStateReader(rpc, `0x${'44'.repeat(20)}` as Address);
  expect(await read(devnet.payer.address, nonce)).toMatchObject({ ok: false });
});
