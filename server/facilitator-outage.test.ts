import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type FacilitatorFixture,
  openFacilitatorFixture,
  readOutcome,
  type StartedGateway,
  signedPayment,
} from './testing/facilitator/facilitator-gateway.ts';
import { chatBody, post } from './testing/payer.ts';

// A facilitator belongs to another company, so the gateway must report its faults to the operator (D-57, D-58).

let fixture: FacilitatorFixture;

beforeAll(async () => {
  fixture = await openFacilitatorFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

const signed = (chat: string) => signedPayment(chat, fixture.devnet.payer.privateKey);

/** Repeats the request with the same payment until the response is 200. */
async function repeatUntilPaid(chat: string, header: Record<string, string>): Promise<void> {
  const again = expect.poll(() => post(chat, chatBody, header), { interval: 100 });
  await again.toMatchObject({ status: 200, body: { object: 'chat.completion' } });
}

async function readReadiness({ listensAt }: StartedGateway): Promise<{ status: number; detail: unknown }> {
  const response = await fetch(`${listensAt}/ready`);
  const { checks } = (await response.json()) as { checks: { name: string; detail?: string }[] };
  return {
    status: response.status,
    detail: checks.find(({ name }) => name === 'settlement')?.detail ?? null,
  };
}

it('starts while the facilitator is down, and reports it in GET /ready and in the log', async () => {
  fixture.facilitator.conduct = () => 'fails';
  const gateway = await fixture.start();
  expect(await readReadiness(gateway)).toEqual({
    status: 503,
    detail: 'the facilitator does not answer: HTTP 500',
  });
  expect(JSON.stringify(fixture.logged)).toContain('not ready: the facilitator does not answer: HTTP 500');
  const { header } = await signed(gateway.chat);
  expect(readOutcome(await post(gateway.chat, chatBody, header))).toEqual([503, 'unavailable']);
  fixture.facilitator.conduct = () => 'sound';
  await expect.poll(() => readReadiness(gateway)).toEqual({ status: 200, detail: null });
  expect((await post(gateway.chat, chatBody, header)).status).toBe(200);
});

it('refuses payments when the facilitator supports only other chains, and reports it', async () => {
  fixture.facilitator.speaks = [];
  const gateway = await fixture.start();
  expect(await readReadiness(gateway)).toEqual({
    status: 503,
    detail: 'the facilitator does not offer the scheme exact on eip155:84532 or base-sepolia',
  });
  const { header } = await signed(gateway.chat);
  expect(readOutcome(await post(gateway.chat, chatBody, header))).toEqual([503, 'unavailable']);
  expect(fixture.engine.runs).toBe(0);
});

it('sends the token with every call, and logs neither the token nor a payment', async () => {
  fixture.facilitator.wants = 'Bearer s3cret-t0ken';
  const gateway = await fixture.start({ FACILITATOR_TOKEN: 's3cret-t0ken' });
  const { header } = await signed(gateway.chat);
  fixture.facilitator.conduct = (path) =>
    path === 'settle' && fixture.asked('settle') === 1 ? 'fails' : 'sound';
  await repeatUntilPaid(gateway.chat, header);
  expect(fixture.logged.length).toBeGreaterThan(1);
  const signature = fixture.facilitator.asked.at(-1)?.body?.signature ?? 'none';
  for (const secret of ['s3cret', signature, fixture.facilitator.url])
    expect(JSON.stringify(fixture.logged)).not.toContain(secret);
});

it('reports a missing token and charges nothing', async () => {
  fixture.facilitator.wants = 'Bearer s3cret-t0ken';
  const gateway = await fixture.start();
  expect((await readReadiness(gateway)).detail).toMatch(/HTTP 401.*FACILITATOR_TOKEN/);
  const { header } = await signed(gateway.chat);
  expect(readOutcome(await post(gateway.chat, chatBody, header))).toEqual([503, 'unavailable']);
  expect(fixture.engine.runs).toBe(0);
});
