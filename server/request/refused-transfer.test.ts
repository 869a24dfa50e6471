import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emptyWallet } from '../testing/empty-wallet.ts';
import { type FacilitatorFixture, openFacilitatorFixture } from '../testing/facilitator-gateway.ts';
import { delegate, guardedTokenCode, setBlocked, setPaused } from '../testing/guarded-token.ts';
import { type Answer, chatBody, offerOf, paymentFor, post } from '../testing/payer.ts';
import { atomicAmount } from '../types/units.ts';

// What a payer receives whose transfer the token would refuse, before any work is done (D-136, D-137). The gateway settles
// through a facilitator, which would take these payments; the gateway simulates them itself.

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
  return paymentFor(offerOf(await post(chat, chatBody)), privateKey);
}

function buy(payment: Record<string, string>): Promise<Answer> {
  return post(chat, chatBody, payment);
}

describe('A transfer that the token would refuse', () => {
  it.each(['a payer on the blocklist', 'a payer whose code burns gas'])(
    'of %s is a 402 with an offer; no inference runs, and the payer may try again (D-136)',
    async (who) => {
      const { rpc, devnet, engine } = fixture;
      const payer = await devnet.fundPayer();
      if (who.includes('blocklist')) await setBlocked(rpc, devnet.token.address, payer.address, true);
      else await delegate(rpc, devnet.chainId, payer, 'burnsGas');
      const before = engine.runs;
      const payment = await signedBy(payer.privateKey);
      const answer = await buy(payment);
      expect(answer.status).toBe(402);
      expect(answer.body.error).toBe('invalid_transaction_state');
      expect(answer.headers.get(headerNames.paymentRequired)).not.toBeNull();
      expect(engine.runs).toBe(before);
      // Nothing was reserved: the same payment is served as soon as the token takes it.
      if (!who.includes('blocklist')) return;
      await setBlocked(rpc, devnet.token.address, payer.address, false);
      expect((await buy(payment)).status).toBe(200);
    },
  );

  it('for want of a balance is insufficient_funds as before', async () => {
    const payer = await fixture.devnet.fundPayer(atomicAmount(1n));
    const answer = await buy(await signedBy(payer.privateKey));
    expect(answer.status).toBe(402);
    expect(answer.body.error.code).toBe('insufficient_funds');
  });
});

it('After a wallet was emptied and filled again, a payer whom the token has blocked costs no further gas (D-63, D-136)', async () => {
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
  const answer = await buy(payment);
  expect([answer.status, answer.body.error]).toEqual([402, 'invalid_transaction_state']);
  expect(facilitator.sent).toHaveLength(sent);
  await setBlocked(rpc, devnet.token.address, payer.address, false);
  expect((await buy(payment)).status).toBe(200);
});

describe('A token that takes no transfers', () => {
  it.each(['the token is paused', 'the recipient is on the blocklist'])(
    'because %s: 503 unavailable, no inference, and the same payment is served afterwards (D-137)',
    async (why) => {
      const { rpc, devnet, engine } = fixture;
      const stop = (isOn: boolean) =>
        why.includes('paused')
          ? setPaused(rpc, devnet.token.address, isOn)
          : setBlocked(rpc, devnet.token.address, devnet.payTo, isOn);
      const before = engine.runs;
      const payment = await signedBy(devnet.payer.privateKey);
      await stop(true);
      const answer = await buy(payment);
      expect(answer.status).toBe(503);
      expect(answer.body.error.code).toBe('unavailable');
      expect(answer.headers.get('Retry-After')).toBe('30');
      expect(engine.runs).toBe(before);
      await stop(false);
      expect((await buy(payment)).status).toBe(200);
    },
  );

  it('still replays what was bought before', async () => {
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
