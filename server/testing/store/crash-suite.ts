import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type PaymentState, transitions } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import { seededRandom } from '../seeded-random.ts';
import { type CreateTestStore, now, proofLedger } from './claims.ts';
import { pendingThatDoesNotAddUp } from './outcomes-suite.ts';
import { proofsThatDoNotAddUp } from './proof-batches-suite.ts';
import { useTestStore } from './use-test-store.ts';

const crashes = 6;

/** A process that is killed without warning, at any point. */
export function describeCrashes(createTestStore: CreateTestStore): void {
  describe('A process that is killed', () => {
    const database = useTestStore(createTestStore);

    it('leaves every confirmed write on disk, and sums that add up', async () => {
      const seed = randomInt(1, 1_000_000);
      console.log(`crash suite, ${database.address.driver}: seed ${seed}`);
      const random = seededRandom(seed);
      const confirmed = new Map<number, PaymentState>();
      const recorded = new Set<string>();
      for (let crash = 1; crash <= crashes; crash++) {
        // The lease of the last process must have expired for the next process, so each process leases its
        // relayer for longer.
        await runUntilKilled(seed + crash * 1_000, 20 + random() * 300, confirmed, recorded);
        expect(await database.query(pendingThatDoesNotAddUp), `seed ${seed}, crash ${crash}`).toEqual([]);
        expect(await database.query(proofsThatDoNotAddUp), `seed ${seed}, crash ${crash}`).toEqual([]);
        await expectRecorded(recorded, `seed ${seed}, crash ${crash}`);
        await expectConfirmedStates(confirmed, `seed ${seed}, crash ${crash}`);
      }
      expect(confirmed.size).toBeGreaterThan(crashes);
      expect(recorded.size).toBeGreaterThan(0);
      // A server may still execute the last statement of a killed client.
      const reserved = async () => {
        await database.store.releaseAbandoned(unixSeconds(now + 1_000));
        return database.query("SELECT id FROM payment WHERE state = 'reserved'");
      };
      await expect.poll(reserved).toEqual([]);
      expect(await database.query(pendingThatDoesNotAddUp)).toEqual([]);
      const lost = await database.query(`SELECT id FROM payment p WHERE state = 'submitted' AND NOT EXISTS
        (SELECT 1 FROM chain_tx t WHERE t.relayer = p.relayer AND t.relayer_nonce = p.relayer_nonce)`);
      expect(lost, 'submitted without a transaction in the journal').toEqual([]);
    });

    async function runUntilKilled(
      seed: number,
      linesMin: number,
      confirmed: Map<number, PaymentState>,
      recorded: Set<string>,
    ): Promise<void> {
      // The lease of a killed process would block the next process.
      await database.query(`UPDATE relayer_lease SET lease_until = 0`);
      const program = fileURLToPath(new URL('./crash-program.ts', import.meta.url));
      const child = spawn(process.execPath, [program, JSON.stringify([database.address, seed])], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        let output = '';
        const ended = once(child, 'exit');
        // Kills the process by its output and not by time, because a busy machine may delay it.
        const isBusy = new Promise<void>((resolve) => {
          child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
            output += chunk;
            if (output.split('\n').length > linesMin && /^recorded/m.test(output)) resolve();
          });
        });
        await Promise.race([isBusy, ended]);
        expect(child.exitCode, 'it ended before it was killed').toBeNull();
        child.kill('SIGKILL');
        await once(child, 'close');
        for (const [, id, state] of output.matchAll(/^(\d+) (\w+)\n/gm)) {
          confirmed.set(Number(id), state as PaymentState);
        }
        for (const [, proofId] of output.matchAll(/^recorded (\w+)\n/gm)) recorded.add(String(proofId));
      } finally {
        child.kill('SIGKILL');
      }
    }

    /** Proofs confirmed as recorded are not returned again. */
    async function expectRecorded(recorded: ReadonlySet<string>, at: string): Promise<void> {
      const batches = await database.store.openBatches(proofLedger, 1_000);
      const due = [
        ...(await database.store.dueIndividual(proofLedger, 10_000)),
        ...batches.flatMap(({ proofs }) => proofs),
      ];
      expect(
        due.filter(({ proofId }) => recorded.has(proofId)),
        at,
      ).toEqual([]);
    }

    /** Each payment is in the confirmed state or a later one, because the last confirmation may be missing. */
    async function expectConfirmedStates(
      confirmed: ReadonlyMap<number, PaymentState>,
      at: string,
    ): Promise<void> {
      const rows = await database.query('SELECT id, state FROM payment');
      const states = new Map(rows.map(({ id, state }) => [Number(id), state as PaymentState]));
      const wrong = [...confirmed].filter(([id, state]) => {
        const found = states.get(id);
        return found === undefined || !reachableFrom(state).has(found);
      });
      expect(wrong, at).toEqual([]);
    }
  });
}

function reachableFrom(state: PaymentState): ReadonlySet<PaymentState> {
  const reachable = new Set([state]);
  for (const each of reachable) for (const next of transitions[each]) reachable.add(next);
  return reachable;
}
