import { describe, expect, it } from 'vitest';
import { readMined } from '../../chain/chain-view.ts';
import { tracePayment } from '../../chain/token-logs.ts';
import { ask } from '../../devnet/deployer.ts';
import { patience, settled, useFacilitator } from '../../testing/settlement/facilitator.ts';
import { payerFunds, price, token } from '../../testing/settlement/settlement.ts';
import { systemClock } from '../../types/clock.ts';
import { atomicAmount, type Bytes32, type Hex } from '../../types/units.ts';

// The facilitator is somebody else: whatever it says, what counts is what the chain shows (D-55).

const scene = useFacilitator();
const { open, onSettle, merchant, settlesAsked, settlesInTheEnd } = scene;

describe.each([1, 2] as const)('x402 version %i', (version) => {
  it('settles what the logs of the named transaction show, and exactly the price has moved', async () => {
    const settling = await open();
    scene.facilitator.speaks = [version];
    const [{ payment, payer }, before] = [await settling.executed(), await merchant()];
    expect(await settling.settler.verify(payment)).toEqual({ kind: 'acceptable' });
    const settlement = await settling.settler.settle(payment);
    if (settlement.state !== 'settled') throw new Error(`not settled but ${settlement.state}`);
    const mined = await readMined(scene.bench.rpc, settlement.txHash);
    if (!mined.ok || mined.value === null) throw new Error('not mined');
    expect(tracePayment(mined.value.logs, { asset: payment.asset, ...payment.authorization })).toBe('paid');
    expect((await merchant()) - before).toBe(price);
    expect(await scene.bench.balanceOf(payer.address)).toBe(payerFunds - price);
    expect(await settling.store.find(payment.id)).toMatchObject(settlement);
    expect(scene.facilitator.asked.map(({ body }) => body?.x402Version ?? null)).toEqual([
      null,
      version,
      version,
    ]);
    // The relayer's key that the bench has was not needed.
    expect(settling.sent()).toEqual([]);
  });

  it('does not verify what it would not settle, and names why', async () => {
    const settling = await open();
    scene.facilitator.speaks = [version];
    const { payment, payer } = await settling.executed();
    const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    await scene.bench.sendAsThirdParty(everything, payer.privateKey);
    expect(await settling.settler.verify(payment)).toEqual({ kind: 'refused', reason: 'insufficient_funds' });
  });
});

describe('success: true is believed', () => {
  it('not for a transaction that nobody ever sent: the payment is asked about again, and paid once', async () => {
    const settling = await open({ settlementWaitMs: 300 });
    const [executed, before] = [await settling.executed(), await merchant()];
    onSettle('lies');
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'executed', txHash: null });
    expect(await merchant()).toBe(before);
    onSettle('sound');
    await settlesInTheEnd(settling, executed);
    expect((await merchant()) - before).toBe(price);
  });

  it('not for a transaction that paid the same merchant the same price for somebody else', async () => {
    const settling = await open({ settlementWaitMs: 300 });
    const other = await settling.executed();
    await settlesInTheEnd(settling, other);
    const theirs = await settling.settler.settle(other.payment);
    if (theirs.state !== 'settled') throw new Error('not settled');
    const executed = await settling.executed();
    scene.facilitator.lie = theirs.txHash;
    onSettle('lies');
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'executed' });
    onSettle('sound');
    await settlesInTheEnd(settling, executed);
    expect(await settling.store.find(executed.payment.id)).not.toMatchObject({ txHash: theirs.txHash });
  });

  it('once the transaction is in a block, where the facilitator did not wait for it', async () => {
    const settling = await open({ settlementWaitMs: 150 });
    const [executed, before] = [await settling.executed(), await merchant()];
    await ask(scene.bench.rpc, 'evm_setAutomine', [false]);
    onSettle('pends');
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await ask(scene.bench.rpc, 'evm_setAutomine', [true]);
    await ask(scene.bench.rpc, 'evm_mine', []);
    await settlesInTheEnd(settling, executed);
    expect((await merchant()) - before).toBe(price);
  });
});

describe('success: false is no refusal', () => {
  it('where the facilitator settled and denies it: the payment is settled by its logs', async () => {
    const settling = await open();
    const [executed, before] = [await settling.executed(), await merchant()];
    onSettle('settles-and-denies');
    expect(await settling.settler.settle(executed.payment)).toEqual({
      state: 'settled',
      txHash: scene.facilitator.sent[0],
    });
    expect((await merchant()) - before).toBe(price);
  });

  it('where it is said once and not again: one payment, settled', async () => {
    const settling = await open();
    const [executed, before] = [await settling.executed(), await merchant()];
    scene.facilitator.conduct = (path) => (path === 'settle' && settlesAsked() === 1 ? 'refuses' : 'sound');
    await settlesInTheEnd(settling, executed);
    expect(settlesAsked()).toBe(2);
    expect((await merchant()) - before).toBe(price);
  });

  it('before it was said as often as the settings allow and nothing on the chain speaks against; then it is', async () => {
    const settling = await open();
    const [{ payment, payer }, before] = [await settling.executed(), await merchant()];
    onSettle('refuses');
    const refused = { state: 'refused', reason: 'invalid_transaction_state' };
    expect(await settling.settler.settle(payment)).toEqual(refused);
    expect(settlesAsked()).toBe(3);
    expect(await settling.store.find(payment.id)).toMatchObject({ state: 'failed' });
    expect(await merchant()).toBe(before);
    // It may be the facilitator's fault: the payer is not held back, and the price is free again.
    const claim = { ...payment, leaseUntil: systemClock.nowSeconds(), fingerprint: 'another' };
    const nonce = `0x${'b7'.repeat(32)}` as Bytes32;
    const next = { ...claim, authorization: { ...payment.authorization, nonce } };
    const balance = atomicAmount(await scene.bench.balanceOf(payer.address));
    const reading = { balance, block: 1_000_000, readAt: claim.leaseUntil };
    expect(await settling.store.reserve(next, reading, claim.leaseUntil)).toMatchObject({
      kind: 'reserved',
    });
  });

  it.each(['settlement_pending', 'duplicate_settlement', 'invalid_exact_evm_nonce_already_used'])(
    'however often, where it says %s: the money may be on its way',
    async (reason) => {
      const settling = await open({ settlementWaitMs: 500 });
      const executed = await settling.executed();
      scene.facilitator.refusal = { status: 200, reason };
      onSettle('refuses');
      expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
      await expect.poll(settlesAsked, patience).toBeGreaterThan(3);
      onSettle('sound');
      await settlesInTheEnd(settling, executed);
    },
  );

  it('while a transaction that it names is in no block yet: that one may still pay', async () => {
    const settling = await open({ settlementWaitMs: 500 });
    const executed = await settling.executed();
    const reason = 'invalid_transaction_state';
    scene.facilitator.refusal = { status: 200, reason, transaction: `0x${'1e'.repeat(32)}` };
    onSettle('refuses');
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await expect.poll(settlesAsked, patience).toBeGreaterThan(3);
    onSettle('sound');
    await settlesInTheEnd(settling, executed);
  });
});

describe('Refused, because the chain says so', () => {
  it('when the payer has emptied the wallet, who is then held back', async () => {
    const settling = await open();
    const [{ payment, payer }, before] = [await settling.executed(), await merchant()];
    const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    await scene.bench.sendAsThirdParty(everything, payer.privateKey);
    expect(await settling.settler.settle(payment)).toEqual({
      state: 'refused',
      reason: 'insufficient_funds',
    });
    expect(await merchant()).toBe(before);
    expect(await settling.store.find(payment.id)).toMatchObject({ state: 'failed' });
  });

  it('when its time is over, though the facilitator never answered', async () => {
    const settling = await open({ through: { settleTimeoutMs: 200 } });
    const validBefore = BigInt(systemClock.nowSeconds()) - 1n;
    const { payment } = await settling.executed({ validBefore });
    onSettle('hangs');
    expect(await settling.settler.settle(payment)).toEqual({ state: 'refused', reason: 'payment_expired' });
    expect(await settling.store.find(payment.id)).toMatchObject({ state: 'expired' });
  });

  it('and never where a third party was faster and the operator takes that for payment (D-138)', async () => {
    const settling = await open({ acceptThirdPartySenders: true });
    const { payment } = await settling.executed();
    const theirs = await scene.bench.sendAsThirdParty(scene.bench.calldataOf(payment));
    onSettle('refuses');
    expect(await settling.settler.settle(payment)).toEqual({ state: 'settled', txHash: theirs });
  });
});

describe('D-138: a transaction counts that the facilitator named, or that it sent and could not name', () => {
  const thirdParty = { state: 'refused', reason: 'third_party_sender' };
  const lost = ['settles-and-denies', 'settles-and-hangs', 'settles-and-fails'] as const;

  it.each(['sound', 'refuses', 'hangs', 'fails'] as const)(
    "a payer's own transaction does not, where the facilitator %s",
    async (conduct) => {
      const settling = await open({ through: { settleTimeoutMs: 200 } });
      const { payment } = await settling.executed();
      await scene.bench.sendAsThirdParty(scene.bench.calldataOf(payment));
      onSettle(conduct);
      await expect.poll(() => settling.settler.settle(payment), patience).toEqual(thirdParty);
      expect(await settling.store.find(payment.id)).toMatchObject({ state: 'failed' });
    },
  );

  it.each(lost)('its own does, where it %s and lists the addresses that it sends from', async (conduct) => {
    const settling = await open({ through: { settleTimeoutMs: 200 } });
    const { payment } = await settling.executed();
    onSettle(conduct);
    await expect.poll(() => settling.settler.settle(payment), patience).toEqual(settled);
  });

  it('its own does not, where it lists no addresses: then nobody can tell who sent it', async () => {
    const settling = await open({ through: { settleTimeoutMs: 200 } });
    scene.facilitator.signers = {};
    const { payment } = await settling.executed();
    onSettle('settles-and-denies');
    await expect.poll(() => settling.settler.settle(payment), patience).toEqual(thirdParty);
  });

  it('its own does not, where it says that somebody else had it settled before', async () => {
    const settling = await open();
    const { payment } = await settling.executed();
    const other = await scene.bench.openSettling({ through: { url: scene.facilitator.url } });
    const twin = await other.executed(payment.authorization, {}, () => payment.signature);
    expect(await other.settler.settle(twin.payment)).toEqual(settled);
    expect(await settling.settler.settle(payment)).toEqual(thirdParty);
  });

  it('one that it named still does after a reorganisation put it into another block', async () => {
    const settling = await open();
    const { payment } = await settling.executed();
    const first = await settling.settler.settle(payment);
    expect(first).toEqual(settled);
    const { transactions } = await settling.store.findSent(payment.id);
    expect(transactions).toEqual(scene.facilitator.sent);
    const [txHash] = transactions;
    if (txHash) await settling.store.reopen(txHash);
    const reopened = await settling.store.find(payment.id);
    if (reopened) expect(await settling.settler.settle(reopened)).toEqual(first);
  });
});
