import { expect, it } from 'vitest';
import { ask } from '../../devnet/deployer.ts';
import { startTestFacilitator } from '../../testing/facilitator/fake-facilitator.ts';
import { patience, settled, useFacilitator } from '../../testing/settlement/facilitator.ts';
import type { Executed, Settling, SettlingOptions } from '../../testing/settlement/settlement.ts';

// A gateway ended while its facilitator settled a payment and did not respond. The operator then changed the
// settings (D-138).

const scene = useFacilitator();
const { open, onSettle } = scene;
const thirdParty = { state: 'refused', reason: 'third_party_sender' };

/** A payment that the facilitator settled after the gateway had ended. */
async function leftWithFacilitator(): Promise<{ readonly before: Settling; readonly executed: Executed }> {
  const before = await open({ settlementWaitMs: 300, through: { settleTimeoutMs: 60_000 } });
  const executed = await before.executed();
  // As before each inference. From then on, the gateway knows the addresses of the facilitator.
  expect(await before.settler.verify(executed.payment)).toEqual({ kind: 'acceptable' });
  await ask(scene.bench.rpc, 'evm_setAutomine', [false]);
  onSettle('settles-and-hangs');
  expect(await before.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
  await expect.poll(() => scene.facilitator.sent.length, patience).toBe(1);
  await before.close();
  await ask(scene.bench.rpc, 'evm_setAutomine', [true]);
  await ask(scene.bench.rpc, 'evm_mine', []);
  return { before, executed };
}

/** Opens the store again with other settings. */
function openAfter(before: Settling, options: SettlingOptions = {}): Promise<Settling> {
  return scene.bench.openSettling({ after: before, hasNewKey: true, ...options });
}

it('A relayer key concludes the payment as settled', async () => {
  const { before, executed } = await leftWithFacilitator();
  const after = await openAfter(before);
  expect(await after.settler.settle(executed.payment)).toEqual(settled);
});

it('Another facilitator concludes it as settled', async () => {
  const { before, executed } = await leftWithFacilitator();
  const other = await startTestFacilitator(scene.bench.devnet);
  const after = await openAfter(before, { through: { url: other.url } });
  expect(await after.settler.settle(executed.payment)).toEqual(settled);
  await after.close();
  await other.close();
});

it('A transaction of another sender still buys nothing', async () => {
  const { before } = await leftWithFacilitator();
  const { payment } = await before.executed();
  await before.store.recordHandover(payment.id, []);
  await scene.bench.sendAsThirdParty(scene.bench.encodeTransfer(payment));
  const after = await openAfter(before);
  expect(await after.settler.settle(payment)).toEqual(thirdParty);
});
