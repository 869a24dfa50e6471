import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { completionKeyPath } from '../store/sqlite/completion-key.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';

const group = 'The key of the stored completions is lost';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
const killedWithinMs = 5_000;
/** Longer than the lease of the killed gateway. */
const leaseMs = 3_000;

/**
 * The operator deletes the mark of the lost key and starts with a new key. A payment that was never sent is
 * released, and the same payment buys a new completion (D-236).
 */
export const lostKeys: readonly Scenario[] = stores.map((store) => ({
  group,
  name: 'after inference and before settlement',
  store,
  ...(store === 'sqlite' && {
    fast: 'releases a payment whose completion is lost with its key, and sells it again (D-236)',
  }),
  run: loseKey,
}));

async function loseKey(context: ScenarioContext): Promise<void> {
  const { buyers, store, upstream } = context;
  const gateway = await context.start({ steering: { dies: { step: 'execute', moment: 'after' } } });
  const payment = await buyers.sign();
  await buyers.send(gateway.chat, payment);
  await context.until(() => !gateway.isRunning(), 'the gateway was not killed', killedWithinMs);
  const path = store.environment['DATABASE_FILE'];
  if (path === undefined) await after(leaseMs);
  else rmSync(completionKeyPath(path));
  await store.query('DELETE FROM completion_key');
  const key = { COMPLETION_KEY: `0x${randomBytes(32).toString('hex')}` };
  const next = await context.start(path === undefined ? { environment: key } : {});
  await context.until(
    () => next.log().includes('released 1 payment'),
    'the log does not name the released payment',
  );
  await context.checkAllServed();
  context.check(upstream.inferences.length === 2, 'the released payment bought no new inference');
}
