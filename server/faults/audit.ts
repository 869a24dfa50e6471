import { type PaymentState, pendingStates } from '../types/payment-states.ts';
import { boughtBy, type Payment } from './buyers.ts';
import type { Transfer } from './chain.ts';
import type { ScenarioContext } from './scenario.ts';

import type { StoreRow } from './store.ts';

export type Audit = {
  readonly storeSays: string;
  readonly chainSays: string;
  readonly faults: readonly string[];
};

/** Blocks after which anvil calls a block final, and a few more. */
const blocksToFinality = 70;
/** Where nothing moves unless somebody else moves it. */
const resting: readonly PaymentState[] = ['final', 'released', 'failed', 'expired'];
const replaysMax = 25;
const restMs = 20_000;

/**
 * Compares, after recovery, what buyers hold with what the store says and what the chain says, past the gateway's own code:
 * nobody has an answer that was not paid, nobody paid twice or without an answer, every receipt names the transaction that
 * moved exactly that payment, nothing is under way any more, and three sums are one.
 */
export async function audit(context: ScenarioContext): Promise<Audit> {
  const { chain, store, buyers } = context;
  const faults: string[] = [];
  await context.until(
    async () => (await underWay(store.payments())).length === 0 && (await store.openNonces()) === 0,
    'the store did not come to rest: payments or relayer nonces are still under way',
    restMs,
  );
  await replay(context, faults);
  // Again and again: what a reorganisation took back is settled anew in a block on top of these.
  const isOver = async () => {
    await chain.ask('anvil_mine', quantityOf(blocksToFinality), '0x0');
    return (await store.payments()).every(({ state }) => resting.includes(state));
  };
  await context.until(isOver, 'payments did not come to an end: settled and final, or not charged', restMs);
  const [rows, transfers] = [await store.payments(), await chain.transfers()];
  for (const payment of buyers.payments)
    faults.push(...faultsOf(payment, rows, transfers, chain.devnet.payTo));
  const thirdParties = transfers.filter(({ nonce }) => !buyers.payments.some((each) => each.nonce === nonce));
  if (thirdParties.length > 0)
    faults.push(`${thirdParties.length} authorizations were used that no buyer signed`);

  const received = await chain.balanceOf(chain.devnet.payTo);
  const logged = await chain.received();
  // The store does not know of what somebody else sent, or sent first.
  const elsewhere = new Set(
    buyers.payments.filter((each) => each.mayBeSentElsewhere).map(({ nonce }) => nonce),
  );
  const outside = transfers.filter(({ nonce }) => elsewhere.has(nonce));
  const booked =
    sumOf(rows.filter((row) => isPaid(row) && !elsewhere.has(row.nonce)).map(({ amount }) => amount)) +
    sumOf(outside.map(({ value }) => value));
  if (booked !== received || logged !== received)
    faults.push(`the store has ${booked} units settled, the logs ${logged}, and the payee ${received}`);
  const held = await store.pending();
  const pending = sumOf((await underWay(Promise.resolve(rows))).map(({ amount }) => amount));
  if (held !== pending)
    faults.push(`accounts hold back ${held} units, payments under way are worth ${pending}`);
  return {
    storeSays: countsOf(rows),
    chainSays: `${transfers.length} transfers in ${new Set(transfers.map(({ txHash }) => txHash)).size} transactions, ${received} units`,
    faults,
  };
}

/** What was paid can be had again by whoever paid it, letter by letter (D-19), as far as answers are kept (D-51). */
async function replay({ buyers, store, anyUrl }: ScenarioContext, faults: string[]): Promise<void> {
  const rows = new Map((await store.payments()).map((row) => [row.nonce, row]));
  const paid = buyers.payments.filter(({ nonce }) => isPaid(rows.get(nonce)));
  for (const payment of paid.slice(0, replaysMax)) {
    if (payment.headers['X-SETTLEMENT-TYPE'] === 'private' && boughtBy(payment) !== null) continue;
    const again = await buyers.send(anyUrl(), payment);
    // What was asked for here is no part of the buyer's story.
    if (!payment.isGivenUp) payment.seen.pop();
    if (again.kind !== 'answer' || again.status !== 200)
      faults.push(`${payment.prompt} was paid, and its answer cannot be had again`);
    else if (boughtBy(payment) !== null && boughtBy(payment)?.body !== again.body)
      faults.push(`${payment.prompt} was answered in two ways`);
  }
}

function faultsOf(
  payment: Payment,
  rows: readonly StoreRow[],
  transfers: readonly Transfer[],
  payTo: string,
): readonly string[] {
  const { prompt, nonce, payer, value, seen, mayBeSentElsewhere } = payment;
  const faults: string[] = [];
  const mine = transfers.filter((transfer) => transfer.nonce === nonce);
  const row = rows.find((each) => each.nonce === nonce);
  const bought = boughtBy(payment);
  const say = (isWrong: boolean, what: string) => {
    if (isWrong) faults.push(`${prompt}: ${what}`);
  };
  say(mine.length > 1, `settled ${mine.length} times`);
  say(bought !== null && mine.length === 0, 'delivered, and not paid');
  say(bought === null && mine.length > 0 && !mayBeSentElsewhere, 'paid, and never delivered');
  say(
    isPaid(row) !== mine.length > 0 && !mayBeSentElsewhere,
    `the store says ${row?.state ?? 'nothing'}, the chain ${mine.length} transfers`,
  );
  const bodies = new Set(
    seen.flatMap((each) => (each.kind === 'answer' && each.status === 200 ? [each.body] : [])),
  );
  say(bodies.size > 1, `answered in ${bodies.size} ways`);
  for (const each of seen) {
    if (each.kind !== 'answer') continue;
    say(each.status === 500, 'saw a 500');
    if (each.status !== 200) continue;
    say(!each.body.includes(` to ${prompt}"`), 'got an answer to another prompt');
    const transfer = mine.find(({ txHash }) => txHash === each.receipt?.txHash);
    const isIt = transfer?.payer === payer && transfer.to === payTo && transfer.value === value;
    say(!isIt || each.receipt?.payer !== payer, 'has a receipt of something else');
    const isOwn = row?.txHash === each.receipt?.txHash || mayBeSentElsewhere;
    say(!isOwn, 'has another transaction in the receipt than the store');
  }
  return faults;
}

function isPaid(row: StoreRow | undefined): boolean {
  return row?.state === 'settled' || row?.state === 'final';
}

async function underWay(payments: Promise<readonly StoreRow[]>): Promise<readonly StoreRow[]> {
  const states: readonly PaymentState[] = pendingStates;
  return (await payments).filter(({ state }) => states.includes(state));
}

function countsOf(rows: readonly StoreRow[]): string {
  const counts = new Map<PaymentState, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ') || 'nothing';
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

function quantityOf(count: number): string {
  return `0x${count.toString(16)}`;
}
