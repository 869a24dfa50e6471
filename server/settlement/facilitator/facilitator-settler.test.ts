import { describe, expect, it } from 'vitest';
import { readMined } from '../../chain/chain-view.ts';
import { tracePayment } from '../../chain/token-logs.ts';
import { ask } from '../../devnet/deployer.ts';
import { patience, settled, useFacilitator } from '../../testing/settlement/facilitator.ts';
import { payerFunds, price, token } from '../../testing/settlement/settlement.ts';
import { systemClock } from '../../types/clock.ts';
import { atomicAmount, type Bytes32, type Hex } from '../../types/units.ts';

// The facilitator is not ours: only the chain decides (D-55).

const scene = useFacilitator();
const { open, onSettle, merchant, settlesAsked, settlesInTheEnd } = scene;

describe.each([1, 2] as const)('x402 version %i', (version) => {
  it('settles by the logs of the named transaction, and moves exactly the price', async () => {
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
    // The relayer key of the bench was not used.
    expect(settling.sent()).toEqual([]);
  });

  it('refuses to verify a payment that it would not settle, with the reason', async () => {
    const settling = await open();
    scene.facilitator.speaks = [version];
    const { payment, payer } = await settling.executed();
    const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    await scene.bench.sendAsThirdParty(everything, payer.privateKey);
    expect(await settling.settler.verify(payment)).toEqual({ kind: 'refused', reason: 'insufficient_funds' });
  });
});

describe('success: true counts', () => {
  it('not for a transaction that was never sent: the facilitator is called again, and the payment settles once', async () => {
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

  it('not for a transaction that paid the same price to the same recipient for another payment', async () => {
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

  it('once the transaction is in a block, if the facilitator did not wait for it', async () => {
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
  it('when the facilitator settled and denies it: the logs settle the payment', async () => {
    const settling = await open();
    const [executed, before] = [await settling.executed(), await merchant()];
    onSettle('settles-and-denies');
    expect(await settling.settler.settle(executed.payment)).toEqual({
      state: 'settled',
      txHash: scene.facilitator.sent[0],
    });
    expect((await merchant()) - before).toBe(price);
  });

  it('when it comes once: the payment is settled once', async () => {
    const settling = await open();
    const [executed, before] = [await settling.executed(), await merchant()];
    scene.facilitator.conduct = (path) => (path === 'settle' && settlesAsked() === 1 ? 'refuses' : 'sound');
    await settlesInTheEnd(settling, executed);
    expect(settlesAsked()).toBe(2);
    expect((await merchant()) - before).toBe(price);
  });

  it('until it came as often as the settings allow and the chain shows no fault; then it is', async () => {
    const settling = await open();
    const [{ payment, payer }, before] = [await settling.executed(), await merchant()];
    onSettle('refuses');
    const refused = { state: 'refused', reason: 'invalid_transaction_state', isExcused: true };
    expect(await settling.settler.settle(payment)).toEqual(refused);
    expect(settlesAsked()).toBe(3);
    expect(await settling.store.find(payment.id)).toMatchObject({ state: 'failed' });
    expect(await merchant()).toBe(before);
    // The fault may be the facilitator's: the payer may buy, and the reserved amount is free again.
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
    'however often, with the reason %s: the tokens may be on their way',
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

  it('while the named transaction is in no block yet, because it may still pay', async () => {
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

describe('The chain decides on a refusal', () => {
  it('when the payer has spent the balance; the payer then cannot buy for a while', async () => {
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

  it('when the payment has expired, although the facilitator never responded', async () => {
    const settling = await open({ through: { settleTimeoutMs: 200 } });
    const validBefore = BigInt(systemClock.nowSeconds()) - 1n;
    const { payment } = await settling.executed({ validBefore });
    onSettle('hangs');
    expect(await settling.settler.settle(payment)).toEqual({ state: 'refused', reason: 'payment_expired' });
    expect(await settling.store.find(payment.id)).toMatchObject({ state: 'expired' });
  });

  it('and never when a third party paid and the operator accepts third parties (D-138)', async () => {
    const settling = await open({ acceptThirdPartySenders: true });
    const { payment } = await settling.executed();
    const theirs = await scene.bench.sendAsThirdParty(scene.bench.encodeTransfer(payment));
    onSettle('refuses');
    expect(await settling.settler.settle(payment)).toEqual({ state: 'settled', txHash: theirs });
  });
});

describe('D-138: a transaction counts if the facilitator named it, or sent it and lost its response', () => {
  const thirdParty = { state: 'refused', reason: 'third_party_sender' };
  const lost = ['settles-and-denies', 'settles-and-hangs', 'settles-and-fails'] as const;

  it.each(['sound', 'refuses', 'hangs', 'fails'] as const)(
    'not if the payer sent it, where the facilitator %s',
    async (conduct) => {
      const settling = await open({ through: { settleTimeoutMs: 200 } });
      const { payment } = await settling.executed();
      await scene.bench.sendAsThirdParty(scene.bench.encodeTransfer(payment));
      onSettle(conduct);
      await expect.poll(() => settling.settler.settle(payment), patience).toEqual(thirdParty);
      expect(await settling.store.find(payment.id)).toMatchObject({ state: 'failed' });
    },
  );

  it.each(lost)('if the facilitator sent it, where it %s and lists its addresses', async (conduct) => {
    const settling = await open({ through: { settleTimeoutMs: 200 } });
    const { payment } = await settling.executed();
    onSettle(conduct);
    await expect.poll(() => settling.settler.settle(payment), patience).toEqual(settled);
  });

  it.each([
    ['a success', 'settles-and-lies'],
    ['a refusal', 'settles-and-refuses'],
  ] as const)(
    'if the facilitator sent it, and %s names a transaction that does not pay',
    async (_, conduct) => {
      const settling = await open();
      const other = await settling.executed();
      await settlesInTheEnd(settling, other);
      const [named] = scene.facilitator.sent;
      for (const txHash of [named, `0x${'2f'.repeat(32)}` as Bytes32]) {
        if (txHash === undefined) throw new Error('not settled');
        const { payment } = await settling.executed();
        scene.facilitator.lie = txHash;
        scene.facilitator.refusal = { status: 200, reason: 'invalid_transaction_state', transaction: txHash };
        const askedBefore = settlesAsked();
        scene.facilitator.conduct = (path) =>
          path === 'settle' && settlesAsked() === askedBefore + 1 ? conduct : 'sound';
        await expect.poll(() => settling.settler.settle(payment), patience).toEqual(settled);
      }
    },
  );

  it('not if its first response reports only a used nonce, unless the operator accepts third parties', async () => {
    for (const acceptThirdPartySenders of [false, true]) {
      const settling = await open({ acceptThirdPartySenders });
      const { payment } = await settling.executed();
      scene.facilitator.refusal = { status: 200, reason: 'invalid_exact_evm_nonce_already_used' };
      scene.facilitator.conduct = (path) =>
        path === 'settle' && settlesAsked() === 1 ? 'settles-and-refuses' : 'sound';
      const end = acceptThirdPartySenders ? settled : thirdParty;
      await expect.poll(() => settling.settler.settle(payment), patience).toEqual(end);
      if (!acceptThirdPartySenders) await scene.facilitator.close();
    }
  });

  it('not if the facilitator lists no addresses, since its sender is then unknown', async () => {
    const settling = await open({ through: { settleTimeoutMs: 200 } });
    scene.facilitator.signers = {};
    const { payment } = await settling.executed();
    onSettle('settles-and-denies');
    await expect.poll(() => settling.settler.settle(payment), patience).toEqual(thirdParty);
  });

  it('not if the facilitator says that another request settled it before', async () => {
    const settling = await open();
    const { payment } = await settling.executed();
    const other = await scene.bench.openSettling({ through: { url: scene.facilitator.url } });
    const twin = await other.executed(payment.authorization, {}, () => payment.signature);
    expect(await other.settler.settle(twin.payment)).toEqual(settled);
    expect(await settling.settler.settle(payment)).toEqual(thirdParty);
  });

  it('if the facilitator named it and a reorganisation moved it to another block', async () => {
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
