import { type PaymentState, pendingStates } from '../types/payment-states.ts';
import { boughtBy, hasSigned, type Payment } from './buyers.ts';
import type { Transfer } from './chain.ts';
import type { ScenarioContext } from './scenario.ts';
import type { StoreRow } from './store.ts';

export type Audit = {
  readonly storeSays: string;
  readonly chainSays: string;
  readonly faults: readonly string[];
};

/** Blocks until anvil calls a block final, and a few more. */
const blocksToFinality = 70;
/** The states that change only from outside. */
const resting: readonly PaymentState[] = ['final', 'released', 'failed', 'expired'];
const replaysMax = 25;
const restMs = 20_000;

/**
 * Compares buyers, store and chain after recovery, without the gateway's own code. No buyer has a completion
 * without a payment. No buyer paid twice or got nothing for a payment. Each receipt names the transaction of
 * its payment. No payment is under way. The sums of store, logs and balance are equal.
 */
export async function audit(context: ScenarioContext): Promise<Audit> {
  const { chain, store, buyers } = context;
  const faults: string[] = [];
  await context.until(
    async () => (await underWay(store.payments())).length === 0 && (await store.openNonces()) === 0,
    'payments or relayer nonces are still under way in the store',
    restMs,
  );
  await replay(context, faults);
  // Mines in each round, because a settlement that a reorganisation dropped is settled again in a later block.
  const isOver = async () => {
    await chain.ask('anvil_mine', toQuantity(blocksToFinality), '0x0');
    return (await store.payments()).every(({ state }) => resting.includes(state));
  };
  await context.until(isOver, 'payments are neither final nor given up', restMs);
  const [rows, transfers] = [await store.payments(), await chain.transfers()];
  for (const payment of buyers.payments)
    faults.push(...findFaults(payment, rows, transfers, chain.devnet.payTo));
  // The buyers and this audit sent each paid payment again, and a repetition makes an owed completion.
  const unmade = rows.filter((row) => isPaid(row) && row.isOwed);
  if (unmade.length > 0) faults.push(`${unmade.length} paid completions are still owed`);
  const thirdParties = transfers.filter(
    ({ nonce }) => !buyers.payments.some((each) => hasSigned(each, nonce)),
  );
  if (thirdParties.length > 0) faults.push(`${thirdParties.length} used authorizations are of no buyer`);

  const received = await chain.balanceOf(chain.devnet.payTo);
  const logged = await chain.received();
  // The store does not count transfers of third-party senders, and those that it forgot.
  const elsewhere = new Set(
    buyers.payments.filter((each) => each.mayBeSentElsewhere).map(({ nonce }) => nonce),
  );
  const outside = transfers.filter(({ nonce }) => elsewhere.has(nonce));
  const booked =
    addAmounts(rows.filter((row) => isPaid(row) && !elsewhere.has(row.nonce)).map(({ amount }) => amount)) +
    addAmounts(outside.map(({ value }) => value));
  if (booked !== received || logged !== received)
    faults.push(`settled units differ: store ${booked}, logs ${logged}, payee's balance ${received}`);
  const held = await store.pending();
  const pending = addAmounts((await underWay(Promise.resolve(rows))).map(({ amount }) => amount));
  if (held !== pending)
    faults.push(`accounts reserve ${held} units, but pending payments are worth ${pending}`);
  return {
    storeSays: countStates(rows),
    chainSays: `${plural(transfers.length, 'transfer')} in ${plural(new Set(transfers.map(({ txHash }) => txHash)).size, 'transaction')}, ${received} units`,
    faults,
  };
}

/**
 * Sends paid payments again: the gateway must return the same bytes (D-19) as long as it keeps completions
 * (D-51).
 */
async function replay({ buyers, store, anyUrl }: ScenarioContext, faults: string[]): Promise<void> {
  const rows = (await store.payments()).filter(isPaid);
  const paid = buyers.payments.filter((payment) => rows.some(({ nonce }) => hasSigned(payment, nonce)));
  for (const payment of paid.slice(0, replaysMax)) {
    if (payment.headers['X-SETTLEMENT-TYPE'] === 'private' && boughtBy(payment) !== null) continue;
    const again = await buyers.send(anyUrl(), payment);
    // The audit's own request is not part of the buyer's history.
    if (!payment.isGivenUp) payment.seen.pop();
    if (again.kind !== 'response' || again.status !== 200)
      faults.push(`${payment.prompt} was paid, but the gateway did not replay its completion`);
    else if (boughtBy(payment) !== null && boughtBy(payment)?.body !== again.body)
      faults.push(`${payment.prompt} got two different completions`);
  }
}

function findFaults(
  payment: Payment,
  rows: readonly StoreRow[],
  transfers: readonly Transfer[],
  payTo: string,
): readonly string[] {
  const { prompt, payer, value, seen, mayBeSentElsewhere } = payment;
  const faults: string[] = [];
  const mine = transfers.filter(({ nonce }) => hasSigned(payment, nonce));
  const own = rows.filter(({ nonce }) => hasSigned(payment, nonce));
  const row = own.find(isPaid) ?? own[0];
  const bought = boughtBy(payment);
  const say = (isWrong: boolean, what: string) => {
    if (isWrong) faults.push(`${prompt}: ${what}`);
  };
  say(mine.length > 1, `settled ${mine.length} times`);
  say(bought !== null && mine.length === 0, 'delivered but not paid');
  say(bought === null && mine.length > 0 && !mayBeSentElsewhere, 'paid but never delivered');
  say(
    isPaid(row) !== mine.length > 0 && !mayBeSentElsewhere,
    `the store says ${row?.state ?? 'nothing'}, but the chain has ${mine.length} transfers`,
  );
  const bodies = new Set(
    seen.flatMap((each) => (each.kind === 'response' && each.status === 200 ? [each.body] : [])),
  );
  say(bodies.size > 1, `got ${bodies.size} different completions`);
  for (const each of seen) {
    if (each.kind !== 'response') continue;
    say(each.status === 500, 'got a 500');
    if (each.status !== 200) continue;
    say(!each.body.includes(` to ${prompt}"`), 'got a completion of another prompt');
    const transfer = mine.find(({ txHash }) => txHash === each.receipt?.txHash);
    const isIt = transfer?.payer === payer && transfer.to === payTo && transfer.value === value;
    say(!isIt || each.receipt?.payer !== payer, 'has a receipt of another payment');
    const isOwn = row?.txHash === each.receipt?.txHash || mayBeSentElsewhere;
    say(!isOwn, "has a receipt whose transaction differs from the store's");
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

function countStates(rows: readonly StoreRow[]): string {
  const counts = new Map<PaymentState, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ') || 'nothing';
}

function addAmounts(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

function toQuantity(count: number): string {
  return `0x${count.toString(16)}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
