import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpRpc, type HttpRpc } from '../chain/http-rpc.ts';
import { guardedTokenCode, setPaused } from '../testing/chain/guarded-token.ts';
import { type Bench, price, startBench } from '../testing/settlement/settlement.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench('pruned', guardedTokenCode);
});
afterAll(() => bench?.stop());

/** A node of a chain on which the token is paused while the first transactions are mined, and never at other times. */
function openFlappingRpc(pausesMax: number): HttpRpc {
  const rpc = createHttpRpc({ url: bench.node.url, timeoutMs: 1_500, responseBytesMax: 1_048_576 });
  const { call } = rpc;
  const pause = (isPaused: boolean) => setPaused(bench.rpc, bench.devnet.token.address, isPaused);
  let pauses = 0;
  return {
    ...rpc,
    async call<T>(...given: Parameters<HttpRpc['call']>) {
      if (given[0] !== 'eth_sendRawTransaction' || pauses >= pausesMax) return call<T>(...given);
      pauses += 1;
      await pause(true);
      const response = await call<T>(...given);
      await pause(false);
      return response;
    },
  };
}

it('payments are not refused because the token was paused while their transactions were mined (D-349)', async () => {
  const before = await bench.balanceOf(bench.devnet.payTo);
  const settling = await bench.openSettling({ rpc: openFlappingRpc(3), limits: { resendMs: 20 } });
  const many = [await settling.executed(), await settling.executed(), await settling.executed()];
  const ends = await Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
  expect(ends.map(({ state }) => state)).toEqual(['settled', 'settled', 'settled']);
  expect((await bench.balanceOf(bench.devnet.payTo)) - before).toBe(price * 3n);
  await settling.close();
});
