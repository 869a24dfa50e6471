import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  startBench,
  token,
} from '../testing/settlement/settlement.ts';
import type { Conduct } from '../testing/settlement/unreliable-node.ts';
import { untilSent } from '../testing/settlement/until-sent.ts';
import { systemClock } from '../types/clock.ts';
import type { Hex } from '../types/units.ts';

// A node that fails says nothing about a payment (R5, R8): after any fault, the payment settles once.

let bench: Bench;
const impatient = { settlementWaitMs: 60 };

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
afterEach(() => {
  bench.node.conduct = () => 'sound';
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

function on(method: string, conduct: Conduct): void {
  bench.node.conduct = (called) => (called === method ? conduct : 'sound');
}

function heal(): void {
  bench.node.conduct = () => 'sound';
}

/** Settles again until the chain has decided, as a client does that sends the same payment again. */
async function settlesInTheEnd({ settler }: Settling, { payment }: Executed): Promise<void> {
  await expect
    .poll(() => settler.settle(payment))
    .toEqual({ state: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
}

describe.each<Conduct>(['hangs', 'fails', 'babbles'])('A node that %s', (conduct) => {
  it('for every call leaves a payment unknown, is reported, and settles it when it works again', async () => {
    const settling = await bench.openSettling(impatient);
    const executed = await settling.executed();
    const before = await merchant();
    bench.node.conduct = () => conduct;
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    expect(await settling.settler.healthIssue()).toMatch(/^the chain does not answer/);
    expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'executed' });
    heal();
    await settlesInTheEnd(settling, executed);
    expect(await settling.settler.healthIssue()).toBeNull();
    expect((await merchant()) - before).toBe(price);
  });

  it.each(['eth_sendRawTransaction', 'eth_getTransactionReceipt', 'eth_getBlockByNumber'])(
    'for %s only does the same',
    async (method) => {
      const settling = await bench.openSettling(impatient);
      const executed = await settling.executed();
      const before = await merchant();
      on(method, conduct);
      expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
      heal();
      await settlesInTheEnd(settling, executed);
      expect((await merchant()) - before).toBe(price);
    },
  );
});

describe('A transaction that was sent into an outage', () => {
  it('and accepted without a response is not sent again under another nonce', async () => {
    const settling = await bench.openSettling();
    const first = await settling.executed();
    on('eth_sendRawTransaction', 'loses-response');
    expect(await settling.settler.settle(first.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent()).toHaveLength(1);
    heal();
    const second = await settling.executed();
    expect(await settling.settler.settle(second.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent().map(({ nonce }) => nonce)).toEqual([0, 1]);
  });

  it('and lost leaves no gap: later payments settle, and so does it', async () => {
    const settling = await bench.openSettling(impatient);
    const lost = await settling.executed();
    const before = await merchant();
    on('eth_sendRawTransaction', 'fails');
    expect(await settling.settler.settle(lost.payment)).toEqual({ state: 'unknown' });
    heal();
    const behind = [await settling.executed(), await settling.executed()];
    for (const each of [...behind, lost]) await settlesInTheEnd(settling, each);
    expect((await merchant()) - before).toBe(price * 3n);
  });

  it('and lost for good leaves no gap: it expires, and the next payment settles', async () => {
    const settling = await bench.openSettling();
    const validBefore = BigInt(systemClock.nowSeconds()) - 1n;
    const late = await settling.executed({ validBefore });
    on('eth_sendRawTransaction', 'fails');
    expect(await settling.settler.settle(late.payment)).toEqual({
      state: 'refused',
      reason: 'payment_expired',
    });
    heal();
    const next = await settling.executed();
    expect(await settling.settler.settle(next.payment)).toMatchObject({ state: 'settled' });
  });

  it('before the process died is found in the journal and settled by the next process, once', async () => {
    const crashed = await bench.openSettling(impatient);
    const executed = await crashed.executed();
    const before = await merchant();
    on('eth_sendRawTransaction', 'fails');
    expect(await crashed.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await untilSent(crashed, executed);
    await crashed.settler.close();
    expect(await crashed.store.find(executed.payment.id)).toMatchObject({ state: 'submitted' });
    heal();
    const next = await bench.openSettling({ after: crashed });
    await settlesInTheEnd(next, executed);
    expect((await merchant()) - before).toBe(price);
  });
});

describe('A third party settles a payment, and then the node fails', () => {
  it.each(['eth_getLogs', 'eth_call'])(
    'for %s: the payment is never refused, and few transactions are sent',
    async (method) => {
      const settling = await bench.openSettling({ settlementWaitMs: 250, acceptThirdPartySenders: true });
      const executed = await settling.executed();
      const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(executed.payment));
      on(method, 'fails');
      expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
      expect(settling.sent().length).toBeLessThanOrEqual(1);
      heal();
      await expect
        .poll(() => settling.settler.settle(executed.payment))
        .toEqual({ state: 'settled', txHash: theirs });
    },
  );
});

it('When the balance cannot be read, the payment is neither settled nor refused', async () => {
  const settling = await bench.openSettling({ settlementWaitMs: 200 });
  const executed = await settling.executed();
  const { payment, payer } = executed;
  const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
  await bench.sendAsThirdParty(everything, payer.privateKey);
  const balanceOf = token.getFunction('balanceOf')?.selector.slice(2) ?? '';
  bench.node.conduct = (_method, body) => (body.includes(balanceOf) ? 'fails' : 'sound');
  expect(await settling.settler.settle(payment)).toEqual({ state: 'unknown' });
  await untilSent(settling, executed);
  expect(settling.sent()).toHaveLength(1);
  heal();
  await expect
    .poll(() => settling.settler.settle(payment))
    .toEqual({ state: 'refused', reason: 'insufficient_funds' });
});

it('A node that is down for long is called with growing pauses', async () => {
  const settling = await bench.openSettling({ settlementWaitMs: 300 });
  const executed = await settling.executed();
  bench.node.conduct = () => 'fails';
  bench.node.calls.length = 0;
  expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
  // Pauses from 5 to 20 ms make 56 calls. Equal pauses of 5 ms would make 176.
  expect(bench.node.calls.length).toBeLessThan(110);
});
