import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText } from '../testing/live-text.ts';
import { openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { ok } from '../types/result.ts';

// D-313: a model that runs one inference at once.

let folder: string;
let gateway: TestGateway;
let chat: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-full-'));
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify({ models: [model] }));
  gateway = await startTestGateway({ catalogFile, inferenceWaitMs: 1_000 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  gateway.engine.answering = createCountingEngine().answering;
  gateway.engine.streaming = null;
  gateway.engine.runs = 0;
});

const model = {
  id: chatBody.model,
  created: 1_700_000_000,
  owned_by: 'alder',
  engine: 'reference',
  context_length: 8_192,
  max_output_tokens: 2_048,
  max_concurrent_inferences: 1,
  pricing: { input_per_million: '1', output_per_million: '1', minimum: '1000' },
};

async function buy() {
  const body = { ...chatBody, user: randomUUID() };
  const payment = await paymentFor(decodeOffer(await post(chat, body)), gateway.devnet.payer.privateKey);
  return { body, payment, send: () => post(chat, body, payment) };
}

/** Starts an inference that lasts until the returned function is called. */
async function occupy() {
  const [began, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  gateway.engine.answering = async (task) => {
    began.resolve();
    await held.promise;
    return ok(pong(task));
  };
  const sent = (await buy()).send();
  await began.promise;
  return async () => {
    held.resolve();
    return (await sent).status;
  };
}

function readStates(): readonly unknown[] {
  const database = new DatabaseSync(gateway.storeFile, { readOnly: true });
  const rows = database.prepare('SELECT state FROM payment ORDER BY id').all();
  database.close();
  return rows.map(({ state }) => state);
}

it('refuses a payment that waits in vain, releases its reservation, and sells to the same payment later', async () => {
  const end = await occupy();
  const { send } = await buy();
  const refused = await send();
  expect([refused.status, refused.body.error.code]).toEqual([503, 'overloaded']);
  expect(refused.headers.get('Retry-After')).toBe('1');
  expect(refused.body.error.message).toBe(
    'The model runs as many requests as it may. Nothing was charged, and the same payment may be sent again.',
  );
  expect(gateway.engine.runs).toBe(1);
  expect(readStates().at(-1)).toBe('released');
  expect(await end()).toBe(200);
  expect((await send()).status).toBe(200);
});

it('runs a payment that waits once the inference before it has ended', async () => {
  const end = await occupy();
  const { send } = await buy();
  const sent = send();
  await expect.poll(() => readStates().at(-1), { interval: 5 }).toBe('reserved');
  expect(await end()).toBe(200);
  expect((await sent).status).toBe(200);
  expect(gateway.engine.runs).toBe(2);
});

it('counts a stream until its model has ended, also after its first text', async () => {
  const text = createLiveText();
  gateway.engine.streaming = text.stream;
  const { body, payment } = await buy();
  text.write('one');
  const stream = await openStream(chat, body, payment);
  expect(stream.status).toBe(200);
  const other = await buy();
  expect((await other.send()).body.error.code).toBe('overloaded');
  text.end();
  await stream.rest();
  gateway.engine.streaming = null;
  expect((await other.send()).status).toBe(200);
});
