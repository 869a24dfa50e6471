import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type FacilitatorFixture,
  openFacilitatorFixture,
  readOutcome,
  type StartedGateway,
} from './testing/facilitator/facilitator-gateway.ts';
import { chatBody, decodeOffer, paymentFor, post } from './testing/payer.ts';

// D-386: the gateway does not sell more than it settles.

let fixture: FacilitatorFixture;
beforeAll(async () => {
  fixture = await openFacilitatorFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

/** The facilitator responds after the test. The gateway gives one payer one of its two slots. */
const patience = { settlementWaitMs: 300, settleTimeoutMs: 60_000 };
const settings = { settlementsMax: 2, unsentPaymentsMin: 2, unsentWaitMs: 1, healthAgeMaxMs: 1 };

async function buy({ chat }: StartedGateway, privateKey: string): Promise<readonly [number, unknown]> {
  const body = { ...chatBody, user: randomUUID() };
  const header = await paymentFor(decodeOffer(await post(chat, body)), privateKey);
  return readOutcome(await post(chat, body, header));
}

/** Returns the status of GET /ready, and the detail of its check of settlement. */
async function readQueue({ listensAt }: StartedGateway): Promise<readonly [number, unknown]> {
  const response = await fetch(`${listensAt}/ready`);
  const { checks } = (await response.json()) as { checks: { name: string; detail?: string }[] };
  return [response.status, checks.find(({ name }) => name === 'settlement')?.detail ?? null];
}

it('refuses a payer whose payments wait for too long before any work, and sells to another', async () => {
  const [slow, other] = await Promise.all([fixture.devnet.fundPayer(), fixture.devnet.fundPayer()]);
  fixture.facilitator.conduct = (path, call) =>
    path === 'settle' && call?.authorization.from.toLowerCase() === slow.address.toLowerCase()
      ? 'hangs'
      : 'sound';
  const gateway = await fixture.start({}, patience, settings);
  const first = await Promise.all([1, 2, 3].map(() => buy(gateway, slow.privateKey)));
  expect(first).toEqual(Array(3).fill([503, 'settlement_pending']));
  expect(fixture.asked('settle')).toBe(1);
  const warning =
    '2 payments wait for their first transaction, and 2 may; the gateway settles more slowly than it sells';
  await expect.poll(() => readQueue(gateway), { timeout: 5_000 }).toEqual([200, warning]);
  expect(await buy(gateway, slow.privateKey)).toEqual([503, 'unavailable']);
  expect(fixture.engine.runs).toBe(3);
  expect(await buy(gateway, other.privateKey)).toEqual([200, undefined]);
});
