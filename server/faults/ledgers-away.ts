import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { checkNoSecondOffer } from './nodes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const group = 'The store itself';
const crowd = 60;
const rushMs = 1_500;
const awayMs = 2_000;
const withinMs = 60_000;

export const ledgersAway: readonly Scenario[] = [
  {
    group,
    name: 'the PostgreSQL server is restarted twice under load',
    store: 'postgres',
    alone: true,
    run: (context) =>
      underLoad(context, async () => {
        const { power } = context.store;
        if (power === null) throw new Error('The tests cannot restart this server. Unset DATABASE_URL');
        for (let time = 0; time < 2; time++) {
          await after(rushMs / 4);
          await power.off();
          await after(500);
          await power.on();
        }
      }),
  },
  {
    group,
    name: `its tables are locked for ${awayMs / 1000} s, and every pool connection waits`,
    store: 'postgres',
    fast: 'returns a retryable error while the store is locked, and serves afterwards (D-24)',
    run: (context) =>
      underLoad(context, async () => {
        await after(rushMs / 3);
        // If both deadlock, the database ends a transaction of the gateway, and not this one.
        await context.store.query(
          `DO $$ BEGIN PERFORM set_config('deadlock_timeout', '1min', true); LOCK TABLE payment, payer_account IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(${awayMs / 1000}); END $$`,
        );
      }),
  },
  {
    group,
    name: `all its connections are cut repeatedly`,
    store: 'postgres',
    run: (context) =>
      underLoad(context, async () => {
        for (let time = 0; time < 8; time++) {
          await after(context.random() * 300);
          await context.store.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          );
        }
      }),
  },
  {
    group,
    name: `its disk is read-only for ${awayMs / 1000} s`,
    store: 'postgres',
    limit: 'simulated: the database rejects writes as a standby does',
    run: (context) =>
      underLoad(context, async () => {
        await after(rushMs / 3);
        await setReadOnly(context, true);
        await after(awayMs);
        await setReadOnly(context, false);
      }),
  },
  {
    group,
    name: `another process locks the file for ${awayMs / 1000} s`,
    store: 'sqlite',
    run: (context) =>
      underLoad(context, async () => {
        await after(rushMs / 3);
        const database = new DatabaseSync(context.store.environment['DATABASE_FILE'] ?? '', {
          timeout: 2_000,
        });
        database.exec('BEGIN IMMEDIATE');
        await after(awayMs);
        database.exec('ROLLBACK');
        database.close();
      }),
  },
];

async function underLoad(context: ScenarioContext, meanwhile: () => Promise<void>): Promise<void> {
  // Short store timeouts, so that the fault has effects.
  const settings = { databaseBusyTimeoutMs: 500, storeConnectionsMax: 2 };
  await context.start({ settings });
  if (context.store.kind === 'postgres') await context.start({ settings });
  const signed = await context.buyers.signMany(crowd);
  const bought = signed.map(async (payment, place) => {
    await after((place * rushMs) / crowd);
    const { chat } = context.gateways[place % context.gateways.length] ?? { chat: context.anyUrl() };
    await context.buyers.payUntilAnswered(() => chat, payment, withinMs);
  });
  await meanwhile();
  await Promise.all(bought);
  await context.checkAllServed();
  checkNoSecondOffer(context);
}

/** Simulates a bad disk: connections work, writes fail. */
async function setReadOnly({ store }: ScenarioContext, isReadOnly: boolean): Promise<void> {
  await store.query(
    `DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}', current_database());
       PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
     END $$`,
  );
}
