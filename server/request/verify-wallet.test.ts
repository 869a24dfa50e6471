import type { PaymentRequirements } from '@paid-inference/contract/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckWallet, WalletVerdict } from '../chain/wallet-signature.ts';
import type { Exchange } from '../http/contract.ts';
import { createRefusalLimit } from '../http/rate-limit.ts';
import { createLog } from '../observe/log.ts';
import { createCodelessAccounts } from '../payment/codeless-accounts.ts';
import type { SubmittedPayment } from '../payment/decode.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { OpenStore } from '../store/store.ts';
import { asset, createClaim, now, randomAddress } from '../testing/store/claims.ts';
import { createCallTurns } from '../types/call-turns.ts';
import { manualClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { verifyWithoutKey } from './verify-wallet.ts';

// The calls to the chain for payments that no key signed are limited (D-227, D-293).

const clock = manualClock(now);
let store: OpenStore;
beforeAll(async () => {
  store = await openSqliteStore({ path: ':memory:', clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 60 });
});
afterAll(() => store.close());

/** A gateway that accepts two refusals of a network in ten minutes, and counts the wallets that it asks. */
function openGateway(verdict: WalletVerdict | 'no response') {
  const refusals = createRefusalLimit({ requestsMax: 2, windowSeconds: 600 });
  let calls = 0;
  const checkWallet: CheckWallet = async () => {
    calls += 1;
    return verdict === 'no response' ? fail({ kind: 'unavailable', message: 'gone' }) : ok(verdict);
  };
  const log = createLog('silent');
  const codeless = createCodelessAccounts(clock);
  const walletTurns = createCallTurns(4, clock.monotonicMs);
  const limits = { rpcTimeoutMs: 10_000 } as Partial<PaidPorts['limits']> as PaidPorts['limits'];
  const chain = { checkWallet, codeless, walletTurns, digestOf: () => new Uint8Array(32) };
  const ports = { store, refusals, ...chain, limits, log };
  const requirements = { asset } as Partial<PaymentRequirements>;
  return {
    calls: () => calls,
    send(network = '192.0.2.1', payer = randomAddress(), signature = '0xabcd') {
      const { authorization } = createClaim(payer, 5n);
      const submitted: SubmittedPayment = { authorization, signature, said: {} };
      return verifyWithoutKey(
        submitted,
        { message: 'not signed by a key' },
        { quote: { requirements }, fingerprint: 'one' } as Partial<PricedRequest> as PricedRequest,
        { network, site: network } as Partial<Exchange> as Exchange,
        ports as Partial<PaidPorts> as PaidPorts,
      );
    },
  };
}

it('A wallet that accepts the signature is verified, and is no refusal', async () => {
  const { send } = openGateway('accepts');
  for (let sent = 0; sent < 4; sent++)
    expect(await send()).toMatchObject({
      ok: true,
      value: { payment: { signature: '0xabcd71' }, isAsked: true },
    });
});

it.each(['rejects', 'has-no-code'] as const)(
  'An account that %s counts, and at the limit the gateway asks no wallet (D-227)',
  async (verdict) => {
    const { send, calls } = openGateway(verdict);
    for (let sent = 0; sent < 2; sent++)
      expect(await send()).toMatchObject({ ok: false, fault: { kind: 'invalid-signature' } });
    expect(await send()).toMatchObject({ ok: false, fault: { kind: 'too-many-refusals' } });
    expect(calls()).toBe(2);
    expect(await send('192.0.2.2')).toMatchObject({ ok: false, fault: { kind: 'invalid-signature' } });
  },
);

it('Bad signatures that arrive together exceed the limit by the calls of a network in progress at most', async () => {
  const { send, calls } = openGateway('rejects');
  const sent = await Promise.all(Array.from({ length: 20 }, () => send()));
  expect(calls()).toBe(2);
  expect(sent.filter((each) => !each.ok && each.fault.kind === 'too-many-refusals')).toHaveLength(18);
});

it('Bad signatures of one account without code count once, and get 401 without a call for ten seconds', async () => {
  const { send, calls } = openGateway('has-no-code');
  const payer = randomAddress();
  const sendAgain = () => send(undefined, payer);
  for (let sent = 0; sent < 4; sent++)
    expect(await sendAgain()).toMatchObject({ ok: false, fault: { kind: 'invalid-signature' } });
  expect(calls()).toBe(1);
  // The owner of a wallet may have deployed it just now.
  const words = ['0'.repeat(128), '60'.padStart(64, '0'), '0'.repeat(64)].join('');
  const wrapped = `0x${words}${'6492'.repeat(16)}`;
  expect(await send(undefined, payer, wrapped)).toMatchObject({ ok: false, fault: { kind: 'offer' } });
  expect(calls()).toBe(2);
  clock.advance(11);
  expect(await sendAgain()).toMatchObject({ ok: false, fault: { kind: 'too-many-refusals' } });
});

it('A node that does not respond says nothing about the signature: 503, and no refusal', async () => {
  const { send } = openGateway('no response');
  for (let sent = 0; sent < 4; sent++)
    expect(await send()).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
});
