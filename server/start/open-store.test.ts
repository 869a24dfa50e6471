import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { createLog } from '../observe/log.ts';
import { correctionsMax } from '../store/bulk.ts';
import type { KeptProof } from '../store/proof-store.ts';
import type { OpenStore, PaymentRecord } from '../store/store.ts';
import {
  asset,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  now,
  proofIn,
  proofLedger,
  randomAddress,
} from '../testing/store/claims.ts';
import { insertRefused } from '../testing/store/insert-refused.ts';
import { type ManualClock, manualClock } from '../types/clock.ts';
import { type Address, type UnixSeconds, unixSeconds } from '../types/units.ts';
import { claimStore } from './open-store.ts';

const day = 86_400;
const log = createLog('silent');
const chain = { chainId: 84_532, asset };

let folder: string;
let config: Config;
let payer: Address;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-open-store-'));
  const loaded = loadConfig(null, {
    CHAIN_RPC_URL: 'http://127.0.0.1:1',
    TOKEN_ADDRESS: asset,
    TOKEN_NAME: 'T',
    PAY_TO: randomAddress(),
    RELAYER_KEY: `0x${'1f'.repeat(32)}`,
    PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:1',
    PROOF_LEDGER_CHAIN_ID: '31740',
    PROOF_LEDGER_CONTRACT: randomAddress(),
    PROOF_LEDGER_KEY: `0x${'2e'.repeat(32)}`,
    DATABASE_FILE: join(folder, 'gateway.db'),
  });
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  config = loaded.value.config;
  payer = randomAddress();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens the store as a process does whose steady clock differs by these seconds, and closes it. */
async function run<T>(
  offSeconds: number,
  use: (store: OpenStore, clock: ManualClock) => Promise<T>,
): Promise<T> {
  const clock = manualClock(now + offSeconds);
  const claimed = await claimStore(config, null);
  if (!claimed.ok) throw new Error(claimed.fault.join('\n'));
  const opened = await claimed.value.open(chain, log, clock);
  if (!opened.ok) throw new Error(opened.fault.join('\n'));
  try {
    return await use(opened.value, clock);
  } finally {
    await opened.value.close();
    claimed.value.release();
  }
}

/** Reserves and executes a payment by the clock of the run. */
async function execute(
  store: OpenStore,
  clock: ManualClock,
  proof: KeptProof | null = null,
): Promise<PaymentRecord> {
  const leaseUntil = after(clock, 120);
  const claim = createClaim(payer, 1n, { leaseUntil });
  const seconds = clock.steadySeconds();
  const result = await store.reserve(claim, createReading(100n, 100, seconds), seconds);
  if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
  if (proof?.record) await store.addSigner(proof.record.signer, '{}', proofLedger);
  await store.execute(result.payment.id, completion, proof);
  return result.payment;
}

function after(clock: ManualClock, seconds: number): UnixSeconds {
  return unixSeconds(clock.steadySeconds() + seconds);
}

async function hasCompletion(store: OpenStore, id: number): Promise<boolean> {
  return (await store.find(id))?.completion === completion;
}

const wrongClocks = [
  ['ahead', 30 * day],
  ['behind', -30 * day],
  ['right', 0],
] as const;

describe('The embedded store after a restart, when the clock of the last run was wrong (D-208)', () => {
  it.each(wrongClocks)('%s: keeps a paid completion as long as after its settlement', async (_name, off) => {
    const { id } = await run(off, async (store, clock) => {
      const payment = await execute(store, clock);
      await store.settle([payment.id], inclusionAt(101));
      return payment;
    });
    await run(0, async (store, clock) => {
      const drop = () => store.dropCompletionsBefore(after(clock, -config.completionKeepSeconds));
      expect(await drop()).toBe(0);
      clock.advance(config.completionKeepSeconds);
      expect([await drop(), await hasCompletion(store, id)]).toEqual([0, true]);
      clock.advance(1);
      expect([await drop(), await hasCompletion(store, id)]).toEqual([1, false]);
    });
  });

  it.each(wrongClocks)('%s: keeps a refused completion by the time that gateways ran', async (_name, off) => {
    const keepSeconds = config.refusedCompletionKeepSeconds;
    const { id } = await run(off, async (store, clock) => {
      const payment = await execute(store, clock);
      await store.fail(payment.id, 'insufficient_funds', null);
      clock.advance(2 * day);
      expect(await store.checkRefused(10, clock.steadySeconds())).toHaveLength(1);
      return payment;
    });
    await run(2 * day, async (store, clock) => {
      const drop = () => store.dropRefusedCompletionsBefore(after(clock, -keepSeconds));
      clock.advance(keepSeconds - 2 * day);
      expect([await drop(), await hasCompletion(store, id)]).toEqual([0, true]);
      clock.advance(1);
      expect([await drop(), await hasCompletion(store, id)]).toEqual([1, false]);
    });
  });

  it.each(wrongClocks)(
    '%s: checks many refused payments half a minute after the start',
    async (_name, off) => {
      // One operation corrects fewer (D-384).
      const count = correctionsMax + 1;
      await run(off, async () => undefined);
      insertRefused(config.databaseFile, count, now + off);
      await run(0, async (store, clock) => {
        clock.advance(31);
        expect(await store.checkRefused(2 * count, after(clock, -30))).toHaveLength(count);
      });
    },
  );

  it.each(wrongClocks)('%s: reads a balance again before a reservation', async (_name, off) => {
    await run(off, execute);
    await run(0, async (store, clock) => {
      const seconds = clock.steadySeconds();
      const reserve = (reading: ReturnType<typeof createReading> | null) =>
        store.reserve(createClaim(payer, 90n), reading, seconds);
      expect(await reserve(null)).toEqual({ kind: 'balance-unknown' });
      expect(await reserve(createReading(80n, 100, seconds))).toEqual({
        kind: 'insufficient',
        available: 79n,
      });
    });
  });

  it('pauses a payer with unpaid inference for debtBlockSeconds at most, also after one of two debts', async () => {
    const [first] = await run(day, async (store, clock) => {
      const payments = [await execute(store, clock), await execute(store, clock)];
      const blockedUntil = after(clock, config.debtBlockSeconds);
      for (const { id } of payments) await store.fail(id, 'insufficient_funds', { blockedUntil });
      return payments;
    });
    await run(0, async (store, clock) => {
      const until = after(clock, config.debtBlockSeconds);
      const reserve = () => store.reserve(createClaim(payer, 1n), null, clock.steadySeconds());
      expect(await reserve()).toEqual({ kind: 'blocked', until });
      await store.settle([first?.id ?? 0], inclusionAt(101));
      expect(await reserve()).toEqual({ kind: 'blocked', until });
      clock.advance(config.debtBlockSeconds);
      expect(await reserve()).toEqual({ kind: 'balance-unknown' });
    });
  });

  it('does not prolong a pause', async () => {
    const until = await run(0, async (store, clock) => {
      const { id } = await execute(store, clock);
      const blockedUntil = after(clock, config.debtBlockSeconds);
      await store.fail(id, 'insufficient_funds', { blockedUntil });
      return blockedUntil;
    });
    await run(20, async (store, clock) => {
      const result = await store.reserve(createClaim(payer, 1n), null, clock.steadySeconds());
      expect(result).toEqual({ kind: 'blocked', until });
    });
  });

  it('lets another relayer send the payments that a relayer of the last run claimed', async () => {
    const lease = async (store: OpenStore, clock: ManualClock) => {
      const held = await store.leaseRelayer(
        randomAddress(),
        'embedded',
        after(clock, 30),
        clock.steadySeconds(),
      );
      if (held === null) throw new Error('the lease was not given');
      return held;
    };
    const { id } = await run(day, async (store, clock) => {
      const payment = await execute(store, clock);
      expect(await store.claimExecuted(await lease(store, clock), 10, clock.steadySeconds())).toHaveLength(1);
      return payment;
    });
    await run(0, async (store, clock) => {
      const claimed = await store.claimExecuted(await lease(store, clock), 10, clock.steadySeconds());
      expect(claimed).toMatchObject([{ id }]);
    });
  });

  it('lets no proof wait for a time of the last run', async () => {
    const parked = proofIn('individual');
    await run(day, async (store, clock) => {
      const ids = [await execute(store, clock, proofIn('batch')), await execute(store, clock, parked)].map(
        ({ id }) => id,
      );
      await store.settle(ids, inclusionAt(101));
      const lease = await store.leaseRelayer(payer, 'embedded', after(clock, 30), clock.steadySeconds());
      if (lease === null) throw new Error('the lease was not given');
      await store.park(lease, [parked.record?.proofId ?? '0x'] as never, 'unknown signer');
    });
    await run(0, async (store, clock) => {
      expect(await store.backlog(proofLedger)).toMatchObject({ batch: 1, batchSince: clock.steadySeconds() });
      clock.advance(31);
      const lease = await store.leaseRelayer(payer, 'embedded', after(clock, 30), clock.steadySeconds());
      if (lease === null) throw new Error('the lease was not given');
      expect(await store.readParked(lease, proofLedger, 10, after(clock, -30))).toHaveLength(1);
    });
  });

  it('counts times within a run as before', async () => {
    await run(0, async (store, clock) => {
      const { id } = await execute(store, clock);
      await store.settle([id], inclusionAt(101));
      clock.advance(5);
      expect(await store.dropCompletionsBefore(clock.steadySeconds())).toBe(1);
    });
  });
});

describe('A devnet at the place of a store (D-228)', () => {
  const openDevnet = async () => {
    const { chain: _chain, ...rest } = config;
    const claimed = await claimStore({ ...rest, devnetFolder: folder } as Config, null);
    if (!claimed.ok) throw new Error(claimed.fault.join('\n'));
    const opened = await claimed.value.open(chain, log, manualClock(now));
    const payments = opened.ok ? (await opened.value.totals()).size : null;
    if (opened.ok) await opened.value.close();
    claimed.value.release();
    return opened.ok ? payments : opened.fault;
  };

  it('does not delete the payments of a real chain, and names a remedy', async () => {
    const { id } = await run(0, execute);
    expect(await openDevnet()).toEqual([
      `the store ${join(folder, 'gateway.db')} cannot be opened: it has payments of a real chain, and a devnet begins with an empty store. Set CHAIN_RPC_URL to a node of that chain. Or set DEVNET_FOLDER to another place.`,
    ]);
    expect(await run(0, (store) => hasCompletion(store, id))).toBe(true);
  });

  it('does not delete a real store that another program has locked', async () => {
    const { id } = await run(0, execute);
    config = { ...config, databaseBusyTimeoutMs: 50 };
    const other = new DatabaseSync(config.databaseFile);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    expect(await openDevnet()).toMatchObject([expect.stringContaining('database is locked')]);
    other.close();
    expect(await run(0, (store) => hasCompletion(store, id))).toBe(true);
  });

  it('does not delete a real store with a damaged page', async () => {
    await run(0, execute);
    const file = openSync(config.databaseFile, 'r+');
    // The header of the first page begins at byte 100.
    writeSync(file, Buffer.alloc(100, 0xff), 0, 100, 100);
    closeSync(file);
    const damaged = readFileSync(config.databaseFile);
    expect(await openDevnet()).toMatchObject([expect.stringContaining('cannot be opened')]);
    expect(readFileSync(config.databaseFile).equals(damaged)).toBe(true);
  });

  it('begins with an empty store at the place of a devnet, and of a file that is no store', async () => {
    expect([await openDevnet(), await openDevnet()]).toEqual([0, 0]);
    writeFileSync(join(folder, 'gateway.db'), 'no store');
    expect(await openDevnet()).toBe(0);
  });
});
