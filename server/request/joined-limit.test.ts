import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { ok } from '../types/result.ts';
import { callersMax, createInFlight } from './in-flight.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ payerRateLimit: { requestsMax: 3, windowSeconds: 600 } });
});
afterAll(() => gateway.stop());

it('Authorizations that join work in progress count against the rate limit of their payer (D-258)', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const offer = decodeOffer(await post(chat, chatBody));
  const sign = () => paymentFor(offer, gateway.devnet.payer.privateKey);
  gateway.engine.answering = async (task) => {
    // All requests arrive before the first response.
    await pause(500);
    return ok(pong(task));
  };
  const headers = await Promise.all(Array.from({ length: 6 }, sign));
  const responses = await Promise.all(headers.map((header) => post(chat, chatBody, header)));
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  const limited = responses.find(({ status }) => status === 429);
  expect(limited?.body.error.code).toBe('rate_limited');
  expect(limited?.headers.get('Retry-After')).toMatch(/^\d+$/);
  expect(gateway.engine.runs).toBe(1);
  // The same authorization several times is one payment, and no new one.
  const again = await Promise.all(Array.from({ length: 6 }, () => post(chat, chatBody, headers[0])));
  expect(again.map(({ status }) => status)).toEqual(Array(6).fill(200));
});

describe('Requests for work that is being cancelled, because its clients left', () => {
  const never = () => new Promise<string>(() => undefined);

  it('end when their clients leave, so that their bodies need no memory (D-432)', async () => {
    const inFlight = createInFlight<string>();
    void inFlight.join('key', 'same', AbortSignal.abort(), never);
    const client = new AbortController();
    const waits = inFlight.join('key', 'same', client.signal, never);
    client.abort();
    expect(await waits).toBe('left');
  });

  it('count as requests that wait for one work (D-407)', async () => {
    const inFlight = createInFlight<string>();
    void inFlight.join('key', 'same', AbortSignal.abort(), never);
    const clients = Array.from({ length: callersMax }, () => new AbortController());
    const waits = clients.map(({ signal }) => inFlight.join('key', 'same', signal, never));
    const here = new AbortController().signal;
    expect(await inFlight.join('key', 'same', here, never)).toBe('crowded');
    for (const client of clients) client.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['left']));
  });
});
