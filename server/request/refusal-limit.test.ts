import type { PaymentRequirements } from '@paid-inference/contract/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRefusalLimit } from '../http/rate-limit.ts';
import { createLog } from '../observe/log.ts';
import type { AcceptablePayment } from '../payment/signature.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Claim, OpenStore } from '../store/store.ts';
import {
  asset,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  now,
  randomAddress,
} from '../testing/store/claims.ts';
import { createTestSlots } from '../testing/test-slots.ts';
import { manualClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import { unixSeconds } from '../types/units.ts';
import { createYieldingWaits } from '../types/yielding-waits.ts';
import { executeAndSettle } from './execute.ts';
import { createInFlight } from './in-flight.ts';
import type { Outcome, WorkResult } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';

const clock = manualClock(now);
const price = 5n;
let store: OpenStore;
beforeAll(async () => {
  store = await openSqliteStore({ path: ':memory:', clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 60 });
});
afterAll(() => store.close());

type Chain = Pick<PaidPorts, 'readPayer' | 'checkTransfer'>;

function chainWith(
  balance: bigint,
  check: Awaited<ReturnType<Chain['checkTransfer']>>,
  isSpent = false,
): Chain {
  return {
    readPayer: async () => ok({ reading: createReading(balance), isSpent }),
    checkTransfer: async () => check,
  };
}

/** A gateway that accepts two refusals in ten minutes, and counts the calls to its chain. */
function openGateway() {
  const refusals = createRefusalLimit({ requestsMax: 2, windowSeconds: 600 });
  let calls = 0;
  const counted = (chain: Chain): Chain => ({
    readPayer(...of) {
      calls++;
      return chain.readPayer(...of);
    },
    checkTransfer(...of) {
      calls++;
      return chain.checkTransfer(...of);
    },
  });
  return {
    calls: () => calls,
    send(
      chain: Chain,
      network = '192.0.2.1',
      claim: Claim = createClaim(randomAddress(), price),
    ): Promise<WorkResult> {
      const requirements = { asset, maxAmountRequired: String(price) } as Partial<PaymentRequirements>;
      const task = { model: 'one' } as Partial<PricedRequest['task']>;
      const { fingerprint } = claim;
      const request = {
        quote: { requirements },
        task,
        fingerprint,
        settlementType: 'batch',
      } as Partial<PricedRequest> as PricedRequest;
      const limits = { concurrentInferencesMax: 9, inferenceTimeoutMs: 1_000, unsettledWaitMs: 0 };
      const ports = {
        ...counted(chain),
        clock,
        log: createLog('silent'),
        store,
        refusals,
        inFlight: createInFlight<WorkResult>(),
        unsettledWaits: createYieldingWaits(),
        slots: createTestSlots(),
        settler: { waiting: () => 0 },
        saleIssue: async () => null,
        admitPayer: async () => null,
        limits,
      } as unknown as PaidPorts;
      const purchase = { hash: claim.authorization.nonce, isRetry: false, keyHeader: null };
      const waiting = { purchase, network, everybodyLeft: new AbortController().signal };
      return executeAndSettle(request, claim as Partial<Claim> as AcceptablePayment, waiting, ports);
    },
  };
}

const poor = chainWith(0n, 'reverts');

it.each<[name: string, chain: Chain, kind: Outcome['kind']]>([
  ['without funds', poor, 'insufficient-funds'],
  ['that the token would refuse', chainWith(9n, 'reverts'), 'offer'],
  ['that are used on the chain', chainWith(9n, 'passes', true), 'offer'],
])(
  'D-227: payments %s count, and at the limit new payments cause no RPC call',
  async (_name, chain, kind) => {
    const { send, calls } = openGateway();
    expect(await send(chain)).toMatchObject({ kind });
    expect(await send(chain)).toMatchObject({ kind });
    const before = calls();
    expect(await send(chain)).toEqual({ kind: 'too-many-refusals', retryAfterSeconds: 600 });
    expect(calls()).toBe(before);
    // Another network has its own limit.
    expect(await send(chain, '192.0.2.2')).toMatchObject({ kind });
  },
);

it('D-227: payments count together, also of several payers and with several reasons', async () => {
  const { send } = openGateway();
  await send(poor);
  await send(chainWith(9n, 'reverts'));
  expect(await send(poor)).toMatchObject({ kind: 'too-many-refusals' });
});

it('D-227: payments of a payer with unpaid inference count', async () => {
  const { send } = openGateway();
  const payer = randomAddress();
  const claimed = await store.reserve(createClaim(payer, price), createReading(9n), now);
  if (claimed.kind !== 'reserved') throw new Error(`not reserved but ${claimed.kind}`);
  await store.execute(claimed.payment.id, completion, null);
  await store.fail(claimed.payment.id, 'insufficient_funds', { blockedUntil: unixSeconds(now + 600) });
  const again = () => send(chainWith(99n, 'passes'), undefined, createClaim(payer, price));
  for (const kind of ['insufficient-funds', 'insufficient-funds', 'too-many-refusals'])
    expect(await again()).toMatchObject({ kind });
});

it.each<[name: string, chain: Chain]>([
  [
    'the node is down',
    {
      readPayer: async () => fail({ kind: 'unavailable', message: 'gone' }),
      checkTransfer: async () => 'unknown',
    },
  ],
  ['the token is stopped', chainWith(9n, 'stopped')],
])('D-227: a payment does not count while %s', async (_name, chain) => {
  const { send } = openGateway();
  for (let sent = 0; sent < 4; sent++) expect(await send(chain)).toMatchObject({ kind: 'unavailable' });
});

it('D-227: a known payment is replayed at the limit, without a call to the chain', async () => {
  const { send, calls } = openGateway();
  const claim = createClaim(randomAddress(), price);
  const claimed = await store.reserve(claim, createReading(9n), now);
  if (claimed.kind !== 'reserved') throw new Error(`not reserved but ${claimed.kind}`);
  await store.execute(claimed.payment.id, completion, null);
  await store.settle([claimed.payment.id], inclusionAt(2));
  await send(poor);
  await send(poor);
  const before = calls();
  expect(await send(poor, undefined, claim)).toMatchObject({ kind: 'paid', completion, replayed: true });
  expect(calls()).toBe(before);
});
