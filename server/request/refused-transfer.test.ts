import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emptyWallet } from '../testing/chain/empty-wallet.ts';
import { delegate, guardedTokenCode, setBlocked, setPaused } from '../testing/chain/guarded-token.ts';
import {
  type FacilitatorFixture,
  openFacilitatorFixture,
} from '../testing/facilitator/facilitator-gateway.ts';
import { chatBody, decodeOffer, paymentFor, post, type ReceivedResponse } from '../testing/payer.ts';
import { atomicAmount } from '../types/units.ts';

// The responses to a payer whose transfer the token would refuse (D-136, D-137). The gateway settles through a
// facilitator that would accept these payments; the gateway itself simulates them.

let fixture: FacilitatorFixture;
let chat: string;

beforeAll(async () => {
  fixture = await openFacilitatorFixture(guardedTokenCode);
  ({ chat } = await fixture.start());
});
afterAll(() => fixture?.stop());
afterEach(async () => {
  const { rpc, devnet } = fixture;
  await setPaused(rpc, devnet.token.address, false);
  await setBlocked(rpc, devnet.token.address, devnet.payTo, false);
});

async function signedBy(privateKey: string): Promise<Record<string, string>> {
  return paymentFor(decodeOffer(await post(chat, chatBody)), privateKey);
}

function buy(payment: Record<string, string>): Promise<ReceivedResponse> {
  return post(chat, chatBody, payment);
}

describe('A transfer that the token would refuse', () => {
  it.each(['a payer on the blocklist', 'a payer whose code burns gas'])(
    'of %s returns 402 with an offer and runs no inference; the payer may try again (D-136)',
    async (who) => {
      const { rpc, devnet, engine } = fixture;
      const payer = await devnet.fundPayer();
      if (who.includes('blocklist')) await setBlocked(rpc, devnet.token.address, payer.address, true);
      else await delegate(rpc, devnet.chainId, payer, 'burnsGas');
      const before = engine.runs;
      const payment = await signedBy(payer.privateKey);
      const response = await buy(payment);
      expect(response.status).toBe(402);
      expect(response.body.error).toBe('invalid_transaction_state');
      expect(response.headers.get(headerNames.paymentRequired)).not.toBeNull();
      expect(engine.runs).toBe(before);
      // Nothing was reserved: the same payment is accepted once the token accepts the transfer.
      if (!who.includes('blocklist')) return;
      await setBlocked(rpc, devnet.token.address, payer.address, false);
      expect((await buy(payment)).status).toBe(200);
    },
  );

  it('returns insufficient_funds when the cause is the balance', async () => {
    const payer = await fixture.devnet.fundPayer(atomicAmount(1n));
    const response = await buy(await signedBy(payer.privateKey));
    expect(response.status).toBe(402);
    expect(response.body.error.code).toBe('insufficient_funds');
  });
});

it('A payer who emptied and refilled the wallet and is now blocked by the token costs no more gas (D-63, D-136)', async () => {
  const { rpc, devnet, engine, facilitator } = fixture;
  const payer = await devnet.fundPayer(atomicAmount(1_000_000n));
  const sound = engine.answering;
  engine.answering = async (task, limits) => {
    await emptyWallet({ devnet, rpc }, payer.privateKey);
    return sound(task, limits);
  };
  const payment = await signedBy(payer.privateKey);
  expect((await buy(payment)).body.error.code).toBe('insufficient_funds');
  engine.answering = sound;
  const sent = facilitator.sent.length;
  await devnet.mintTo(payer.address, atomicAmount(1_000_000n));
  await setBlocked(rpc, devnet.token.address, payer.address, true);
  const response = await buy(payment);
  expect([response.status, response.body.error]).toEqual([402, 'invalid_transaction_state']);
  expect(facilitator.sent).toHaveLength(sent);
  await setBlocked(rpc, devnet.token.address, payer.address, false);
  expect((await buy(payment)).status).toBe(200);
});

describe('A token that accepts no transfers', () => {
  it.each(['the token is paused', 'the recipient is on the blocklist'])(
    'because %s: returns 503 unavailable, runs no inference, and accepts the same payment afterwards (D-137)',
    async (why) => {
      const { rpc, devnet, engine } = fixture;
      const stop = (isOn: boolean) =>
        why.includes('paused')
          ? setPaused(rpc, devnet.token.address, isOn)
          : setBlocked(rpc, devnet.token.address, devnet.payTo, isOn);
      const before = engine.runs;
      const payment = await signedBy(devnet.payer.privateKey);
      await stop(true);
      const response = await buy(payment);
      expect(response.status).toBe(503);
      expect(response.body.error.code).toBe('unavailable');
      expect(response.headers.get('Retry-After')).toBe('30');
      expect(engine.runs).toBe(before);
      await stop(false);
      expect((await buy(payment)).status).toBe(200);
    },
  );

  it('does not stop replays of earlier purchases', async () => {
    const { rpc, devnet } = fixture;
    const payment = await signedBy(devnet.payer.privateKey);
    const bought = await buy(payment);
    expect(bought.status).toBe(200);
    await setPaused(rpc, devnet.token.address, true);
    const again = await buy(payment);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(bought.body);
  });
});
