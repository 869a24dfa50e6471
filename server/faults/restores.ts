import { copyFileSync, rmSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { boughtBy, type Payment, type Seen } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { StoreKind } from './store.ts';
import { answering, type UpstreamConduct } from './upstream.ts';

const group = 'Restored copies of the store';
const stores: readonly StoreKind[] = ['sqlite', 'postgres'];
/** Purchases before the copy, while it is made, after it, and after it was restored. */
const purchases = { before: 8, during: 40, after: 8, undelivered: 3, restored: 8 } as const;
/** The purchases during the copy arrive over this time. */
const rushMs = 2_500;
/** Long enough that the copy has payments under way. */
const inferenceMs = 300;
/** Longer than the lease of a reservation, which the copy may have. */
const withinMs = 40_000;
/** How long the restored store is in use before the last settlements are mined. */
const unminedMs = 1_500;
/** How the gateway refuses a payment that was spent before the store knew it. */
const spent = 'invalid_exact_evm_nonce_already_used';

const fast: Readonly<Record<StoreKind, string>> = {
  sqlite:
    'charges no payer twice and delivers nothing free after an old copy of a SQLite store was restored (D-382)',
  postgres: 'charges no payer twice and delivers nothing free after an old base backup was restored (D-382)',
};

export const restores: readonly Scenario[] = [false, true].flatMap((isUnmined) =>
  stores.map((store) => ({
    group,
    name: `a copy is made under load, the gateway is killed later, and the copy replaces the store${isUnmined ? ' while settlements are not mined' : ''}`,
    store,
    ...(!isUnmined && { fast: fast[store] }),
    // The server of PostgreSQL is restored as a whole.
    alone: store === 'postgres',
    recoveryMs: withinMs,
    run: (context: ScenarioContext) => restore(context, isUnmined),
  })),
);

/** `isUnmined`: the last settlements are mined only after the restored store is in use. */
async function restore(context: ScenarioContext, isUnmined: boolean): Promise<void> {
  const { buyers, chain, upstream, check, until } = context;
  const copy = createCopy(context);
  if (copy === null) return context.note('not run: the test did not start the server of PostgreSQL');
  const first = await context.start();
  await payAll(context, first, await buyers.signMany(purchases.before));
  upstream.conduct = async (): Promise<UpstreamConduct> => {
    await after(inferenceMs);
    return 'responds';
  };
  const rush = (await buyers.signMany(purchases.during)).map(async (payment) => {
    await after(context.random() * rushMs);
    await buyers.payUntilAnswered(() => first.chat, payment, withinMs);
  });
  await after(rushMs / 5);
  await copy.make();
  await Promise.all(rush);
  upstream.conduct = answering;
  await payAll(context, first, await buyers.signMany(purchases.after));
  const undelivered = await dieBeforeDelivery(context, first);
  if (!isUnmined) await startMining(chain);
  await copy.restore();
  const old = [...buyers.payments];
  const forgotten = await findForgotten(context);
  check(
    undelivered.every((payment) => forgotten.includes(payment)),
    'the copy has payments that were made after it',
  );

  const [inferences, nonce] = [upstream.inferences.length, await readNonce(context, 'latest')];
  const second = await context.start();
  const newer = await buyers.signMany(purchases.restored);
  // The gateway cannot know that these will be charged. The audit compares them with their transfers.
  const open = isUnmined ? undelivered : [];
  const spentOnes = forgotten.filter((payment) => !open.includes(payment));
  const ended = Promise.all([presentAll(context, second, old, spentOnes), payAll(context, second, newer)]);
  if (isUnmined) {
    await after(unminedMs);
    await startMining(chain);
  }
  await ended;
  const mayRun = new Set([...newer, ...open].map(({ prompt }) => prompt));
  const reran = upstream.inferences.slice(inferences).filter(({ prompt }) => !mayRun.has(prompt));
  check(reran.length === 0, `the model ran again for ${reran.length} spent payments`);
  const unnamed = () => undelivered.filter(({ nonce }) => !second.log().includes(nonce));
  // The responses may arrive before the lines of the log.
  const isLogged = await until(
    () => isUnmined || unnamed().length === 0,
    'the log does not name each payment that was charged and not delivered',
  );
  if (!isLogged)
    context.note(
      `not in the log: ${unnamed().map(({ prompt, seen }) => `${prompt}, which got ${seen.map(describe).join(', ')}`)}`,
    );
  await checkNonces(context, nonce);
  await checkReconciliation(context);
}

type Copy = { make(): Promise<void>; restore(): Promise<void> };

/** The documented way to copy and to restore a store; null where this run cannot do it. */
function createCopy({ store, command, check }: ScenarioContext): Copy | null {
  if (store.kind === 'postgres')
    return store.backup && { make: store.backup.take, restore: store.backup.restore };
  const file = store.environment['DATABASE_FILE'] ?? '';
  const copied = `${file}.copy`;
  return {
    async make() {
      const { code, stderr } = await command('backup', '--out', copied);
      check(code === 0, `the backup failed: ${stderr}`);
    },
    async restore() {
      for (const end of ['', '-wal', '-shm', '.key']) rmSync(`${file}${end}`, { force: true });
      for (const end of ['', '.key']) copyFileSync(`${copied}${end}`, `${file}${end}`);
    },
  };
}

async function payAll(
  { buyers, check }: ScenarioContext,
  gateway: GatewayProcess,
  payments: readonly Payment[],
): Promise<void> {
  await Promise.all(payments.map((each) => buyers.payUntilAnswered(() => gateway.chat, each, withinMs)));
  const unserved = payments.filter((payment) => boughtBy(payment) === null).length;
  check(unserved === 0, `${unserved} of ${payments.length} buyers were not served`);
}

/** Kills the gateway when it has sent its last settlements, and before they are mined. */
async function dieBeforeDelivery(
  { buyers, chain, store, until }: ScenarioContext,
  gateway: GatewayProcess,
): Promise<readonly Payment[]> {
  await chain.ask('evm_setAutomine', false);
  const payments = await buyers.signMany(purchases.undelivered);
  const sent = Promise.all(payments.map((payment) => buyers.send(gateway.chat, payment)));
  const isSent = async () => {
    const rows = (await store.payments()).filter((row) => payments.some(({ nonce }) => nonce === row.nonce));
    const transactions = new Set(rows.map(({ txHash }) => txHash));
    const isWritten = rows.length === payments.length && rows.every(({ state }) => state === 'submitted');
    return isWritten && (await readPool(chain)).pending === transactions.size;
  };
  await until(isSent, 'the gateway did not send its settlements');
  await gateway.kill();
  await sent;
  return payments;
}

async function startMining({ ask }: ScenarioContext['chain']): Promise<void> {
  await ask('evm_mine');
  await ask('evm_setAutomine', true);
}

/**
 * Finds the payments that the restored store does not have, or has as they were before their end. Their transfers do
 * not count in the store.
 */
async function findForgotten(context: ScenarioContext): Promise<readonly Payment[]> {
  const { store, buyers } = context;
  const rows = new Map((await store.payments()).map((row) => [row.nonce, row]));
  let underWay = 0;
  for (const payment of buyers.payments) {
    const state = rows.get(payment.nonce)?.state;
    payment.mayBeSentElsewhere = state !== 'settled' && state !== 'final';
    if (state !== undefined && payment.mayBeSentElsewhere) underWay++;
  }
  const forgotten = buyers.payments.filter(({ nonce }) => !rows.has(nonce));
  context.note(
    `the copy lacks ${forgotten.length} of ${buyers.payments.length} payments, and has ${underWay} under way`,
  );
  return forgotten;
}

/** Buyers present their payments again. The gateway must refuse those that were spent before its store knew them. */
async function presentAll(
  { buyers, check }: ScenarioContext,
  gateway: GatewayProcess,
  payments: readonly Payment[],
  spentOnes: readonly Payment[],
): Promise<void> {
  const present = async (payment: Payment) => {
    const seen = await buyers.payUntilAnswered(() => gateway.chat, payment, withinMs);
    const isRefused = seen?.kind === 'response' && seen.status === 402 && seen.code === spent;
    check(
      isRefused || !spentOnes.includes(payment),
      `${payment.prompt} was forgotten, and got ${describe(seen)}`,
    );
    const isReplay =
      seen?.kind === 'response' && seen.status === 200 && seen.body === boughtBy(payment)?.body;
    check(isRefused || isReplay, `${payment.prompt} was charged, and got ${describe(seen)}`);
  };
  await Promise.all(payments.map(present));
}

function describe(seen: Seen | null): string {
  return seen?.kind === 'response' ? `${seen.status} ${seen.code ?? 'a completion'}` : 'no response';
}

/** The journal of the copy is older than the chain. Each new transaction must have the next nonce of the chain. */
async function checkNonces(context: ScenarioContext, before: number): Promise<void> {
  const { chain, check } = context;
  const [latest, pending, pool] = [
    await readNonce(context, 'latest'),
    await readNonce(context, 'pending'),
    await readPool(chain),
  ];
  const sent = latest - before;
  const most = purchases.restored + purchases.undelivered;
  check(sent > 0 && sent <= most, `${sent} transactions settled at most ${most} purchases`);
  check(pending === latest, `the transactions ${latest} to ${pending} of the relayer are not mined`);
  check(
    pool.pending + pool.queued === 0,
    `the chain waits: ${pool.pending} pending, ${pool.queued} above a gap`,
  );
}

async function readNonce({ chain }: ScenarioContext, block: 'latest' | 'pending'): Promise<number> {
  const { address } = new Wallet(chain.devnet.relayerKey);
  return Number(await chain.ask<string>('eth_getTransactionCount', address, block));
}

async function readPool({
  ask,
}: ScenarioContext['chain']): Promise<{ readonly pending: number; readonly queued: number }> {
  const pool = await ask<{ readonly pending: string; readonly queued: string }>('txpool_status');
  return { pending: Number(pool.pending), queued: Number(pool.queued) };
}

/** The operator finds each transfer whose payment the store does not count, to pay its payer back. */
async function checkReconciliation({ command, store, chain, check }: ScenarioContext): Promise<void> {
  const { code, stderr } = await command(
    'export',
    '--reconcile',
    '--format',
    'json',
    '--out',
    'payments.json',
  );
  check(code === 3, `the reconciliation ended with ${code}: ${stderr}`);
  const counted = (await store.payments()).filter(({ state }) => state === 'settled' || state === 'final');
  const nonces = new Set(counted.map(({ nonce }) => nonce));
  const uncounted = (await chain.transfers()).filter(({ nonce }) => !nonces.has(nonce));
  const listed = [...stderr.matchAll(/^Difference: the transaction (0x\w+) moved /gm)].map(
    ([, hash]) => hash,
  );
  const hashes = uncounted.map(({ txHash }) => txHash);
  check(
    hashes.length > 0 && hashes.toSorted().join() === listed.toSorted().join(),
    `the reconciliation lists ${listed.length} transfers without payments, and the chain has ${hashes.length}`,
  );
}
