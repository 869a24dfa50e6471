import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  codeOf,
  type FacilitatorFixture,
  openFacilitatorFixture,
  type StartedGateway,
  signedPayment,
} from './testing/facilitator-gateway.ts';
import { chatBody, post } from './testing/payer.ts';

// A facilitator is somebody else's: its operator is not ours, and ours must learn what is wrong with it (D-57, D-58).

let fixture: FacilitatorFixture;

beforeAll(async () => {
  fixture = await openFacilitatorFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

const signed = (chat: string) => signedPayment(chat, fixture.devnet.payer.privateKey);

/** Sends the same request with the same payment until it is answered with 200. */
async function answeredInTheEnd(chat: string, header: Record<string, string>): Promise<void> {
  const again = expect.poll(() => post(chat, chatBody, header), { interval: 100 });
  await again.toMatchObject({ status: 200, body: { object: 'chat.completion' } });
}

async function readinessOf({ listensAt }: StartedGateway): Promise<{ status: number; detail: unknown }> {
  const response = await fetch(`${listensAt}/ready`);
  const { checks } = (await response.json()) as { checks: { name: string; detail?: string }[] };
  return {
    status: response.status,
    detail: checks.find(({ name }) => name === 'settlement')?.detail ?? null,
  };
}

it('a facilitator that is down does not keep the gateway from starting; GET /ready and the log say it', async () => {
  fixture.facilitator.conduct = () => 'fails';
  const gateway = await fixture.start();
  expect(await readinessOf(gateway)).toEqual({
    status: 503,
    detail: 'the facilitator does not answer: HTTP 500',
  });
  expect(JSON.stringify(fixture.logged)).toContain('not ready: the facilitator does not answer: HTTP 500');
  const { header } = await signed(gateway.chat);
  expect(codeOf(await post(gateway.chat, chatBody, header))).toEqual([503, 'unavailable']);
  fixture.facilitator.conduct = () => 'sound';
  await expect.poll(() => readinessOf(gateway)).toEqual({ status: 200, detail: null });
  expect((await post(gateway.chat, chatBody, header)).status).toBe(200);
});

it('a facilitator for other chains only is named as such, and takes no payment', async () => {
  fixture.facilitator.speaks = [];
  const gateway = await fixture.start();
  expect(await readinessOf(gateway)).toEqual({
    status: 503,
    detail: 'the facilitator does not offer the scheme exact on eip155:84532 or base-sepolia',
  });
  const { header } = await signed(gateway.chat);
  expect(codeOf(await post(gateway.chat, chatBody, header))).toEqual([503, 'unavailable']);
  expect(fixture.engine.runs).toBe(0);
});

it('the token goes with every call; no log line has it, nor the payment', async () => {
  fixture.facilitator.wants = 'Bearer s3cret-t0ken';
  const gateway = await fixture.start({ FACILITATOR_TOKEN: 's3cret-t0ken' });
  const { header } = await signed(gateway.chat);
  fixture.facilitator.conduct = (path) =>
    path === 'settle' && fixture.asked('settle') === 1 ? 'fails' : 'sound';
  await answeredInTheEnd(gateway.chat, header);
  expect(fixture.logged.length).toBeGreaterThan(1);
  const signature = fixture.facilitator.asked.at(-1)?.body?.signature ?? 'none';
  for (const secret of ['s3cret', signature, fixture.facilitator.url])
    expect(JSON.stringify(fixture.logged)).not.toContain(secret);
});

it('a token that is missing is named; nothing is charged', async () => {
  fixture.facilitator.wants = 'Bearer s3cret-t0ken';
  const gateway = await fixture.start();
  expect((await readinessOf(gateway)).detail).toMatch(/HTTP 401.*FACILITATOR_TOKEN/);
  const { header } = await signed(gateway.chat);
  expect(codeOf(await post(gateway.chat, chatBody, header))).toEqual([503, 'unavailable']);
  expect(fixture.engine.runs).toBe(0);
});
