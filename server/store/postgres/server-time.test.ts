import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  completion,
  createClaim,
  createReading,
  randomAddress,
  randomBytes32,
} from '../../testing/store/claims.ts';
import { testCompletionKey } from '../../testing/store/open-test-store.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { type ManualClock, manualClock, systemClock } from '../../types/clock.ts';
import { type UnixSeconds, unixSeconds } from '../../types/units.ts';
import type { Claim, OpenStore } from '../store.ts';
import { openPostgresStore } from './postgres-store.ts';

type Gateway = { readonly clock: ManualClock; readonly store: OpenStore };

let server: TestServer;
let url: string;

beforeAll(async () => {
  server = await shareTestServer();
  url = await server.createDatabase();
});
afterAll(() => server.remove());

describe("The server's clock, for every gateway on a store (D-139)", () => {
  const hourSeconds = 3_600;

  it.each([hourSeconds, -hourSeconds])(
    'keeps all leases when the clock of another gateway is %i s off',
    async (off) => {
      const rightClock = manualClock(systemClock.nowSeconds());
      const wrongClock = manualClock(systemClock.nowSeconds() + off);
      const open = (clock: typeof rightClock) =>
        openPostgresStore({ url, clock, completionKey: testCompletionKey, balanceAgeMaxSeconds: 2 });
      const [right, wrong] = [await open(rightClock), await open(wrongClock)];
      try {
        const start = rightClock.steadySeconds();
        const claim = createClaim(randomAddress(), 3n, { leaseUntil: unixSeconds(start + 60) });
        const { id } = await reservedBy(right, claim, start);
        const relayer = randomAddress();
        const lease = await right.leaseRelayer(relayer, 'the right gateway', unixSeconds(start + 60), start);
        if (lease === null) throw new Error('the lease is held');

        const theirNow = wrongClock.steadySeconds();
        expect(await wrong.releaseAbandoned(theirNow)).toBe(0);
        const until = unixSeconds(theirNow + 60);
        expect(await wrong.leaseRelayer(relayer, 'the wrong gateway', until, theirNow)).toBeNull();
        await right.execute(id, completion, null);
        expect(await right.claimExecuted(lease, 9, start)).toMatchObject([{ id }]);
        const other = await wrong.leaseRelayer(randomAddress(), 'the wrong gateway', until, theirNow);
        if (other === null) throw new Error('the lease is held');
        expect(await wrong.claimExecuted(other, 9, theirNow)).toEqual([]);
        await right.fail(id, 'insufficient_funds', { blockedUntil: unixSeconds(start + 60) });
        const next = { ...claim, authorization: { ...claim.authorization, nonce: randomBytes32() } };
        const again = await wrong.reserve(next, createReading(9n, 100, theirNow), theirNow);
        expect(again).toMatchObject({ kind: 'blocked' });
      } finally {
        await right.close();
        await wrong.close();
      }
    },
  );

  it('compares the ages of balance readings although the clocks of the gateways differ', async () => {
    const rightClock = manualClock(systemClock.nowSeconds());
    const fastClock = manualClock(systemClock.nowSeconds() + hourSeconds);
    const open = (clock: typeof rightClock) =>
      openPostgresStore({ url, clock, completionKey: testCompletionKey, balanceAgeMaxSeconds: 2 });
    const [right, fast] = [await open(rightClock), await open(fastClock)];
    try {
      const [now, theirNow] = [rightClock.steadySeconds(), fastClock.steadySeconds()];
      const payer = randomAddress();
      await reservedBy(fast, createClaim(payer, 1n, { leaseUntil: unixSeconds(theirNow + 60) }), theirNow);
      rightClock.advance(10);
      const claim = createClaim(payer, 1n, { leaseUntil: unixSeconds(now + 70) });
      expect(await right.reserve(claim, null, rightClock.steadySeconds())).toEqual({
        kind: 'balance-unknown',
      });
    } finally {
      await right.close();
      await fast.close();
    }
  });

  it.each([hourSeconds, -hourSeconds])(
    'lets one gateway run an owed payment when the clock of another is %i s off (D-272)',
    async (off) => {
      const clocks = [systemClock.nowSeconds(), systemClock.nowSeconds() + off].map(manualClock);
      const open = (clock: (typeof clocks)[number]) =>
        openPostgresStore({ url, clock, completionKey: testCompletionKey, balanceAgeMaxSeconds: 2 });
      const gateways = await Promise.all(clocks.map(async (clock) => ({ clock, store: await open(clock) })));
      try {
        for (const [first, second] of [gateways, gateways.toReversed()] as [Gateway, Gateway][]) {
          const start = first.clock.steadySeconds();
          const claim = createClaim(randomAddress(), 3n, { leaseUntil: unixSeconds(start + 60) });
          const { id } = await reservedBy(first.store, claim, start);
          await first.store.owe(id);
          expect(await take(second, id)).toBeNull();
          await first.store.endOwedRun(id, claim.leaseUntil);
          // Each gateway rounds its measurement of the server's clock to a second.
          second.clock.advance(1);
          const taken = await take(second, id);
          expect(await take(first, id)).toBeNull();
          const lease = taken?.leaseUntil ?? claim.leaseUntil;
          await second.store.completeOwed(id, lease, completion, null);
          expect(await first.store.find(id)).toMatchObject({ completion });
        }
      } finally {
        for (const { store } of gateways) await store.close();
      }
    },
  );

  function take({ store, clock }: Gateway, id: number) {
    const now = clock.steadySeconds();
    return store.takeOwed(id, unixSeconds(now + 60), now);
  }

  async function reservedBy(store: OpenStore, claim: Claim, now: UnixSeconds) {
    const claimed = await store.reserve(claim, createReading(9n, 100, now), now);
    if (claimed.kind !== 'reserved') throw new Error(`expected reserved, got ${claimed.kind}`);
    expect(claimed.payment.leaseUntil).toBe(claim.leaseUntil);
    return claimed.payment;
  }
});
