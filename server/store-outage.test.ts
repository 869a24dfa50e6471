import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenStore, StoreUnavailable } from './store/store.ts';
import { createCountingEngine } from './testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from './testing/gateway.ts';
import { createLiveText } from './testing/live-text.ts';
import { lastEvent, openStream } from './testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, decodeProof, paymentFor, post } from './testing/payer.ts';
import { shareTestServer, type TestServer } from './testing/store/postgres-server.ts';
import { manualClock, systemClock } from './types/clock.ts';
import { fail } from './types/result.ts';

// The store is unavailable at the moment when an inference has ended (D-64).

type Operation = 'reserve' | 'execute' | 'release' | 'owe' | 'completeOwed';
type Outage = { off(): Promise<void>; on(): Promise<void> };

const drivers = ['the embedded store, locked by another process', 'PostgreSQL, stopped'] as const;

describe.each(drivers)('%s', (driver) => {
  let server: TestServer | null = null;
  let gateway: TestGateway;
  let outage: Outage;
  let chat: string;
  const calls: Operation[] = [];
  /** The next operations of the store, whose responses get lost. */
  let lost: Operation | null = null;
  const manual = manualClock(systemClock.nowSeconds());
  // PostgreSQL compares the clock with its own, and would take one that stands for a wrong one (D-139).
  const clock = driver === drivers[0] ? manual : systemClock;
  const price = async () => BigInt(decodeOffer(await post(chat, chatBody)).maxAmountRequired);
  const paid = () => gateway.balanceOf(gateway.devnet.payTo);

  beforeAll(async () => {
    const settings = {
      settlementWaitMs: 2_000,
      receiptPollMsMax: 50,
      databaseBusyTimeoutMs: 20,
      maintenanceMs: 50,
    };
    const wrapStore = (store: OpenStore): OpenStore => ({
      ...store,
      reserve: (...parameters) => unheard('reserve', store.reserve(...parameters)),
      execute: (...parameters) => unheard('execute', store.execute(...parameters)),
      release: (...parameters) => unheard('release', store.release(...parameters)),
      owe: (...parameters) => unheard('owe', store.owe(...parameters)),
      completeOwed: (...parameters) => unheard('completeOwed', store.completeOwed(...parameters)),
    });
    if (driver === drivers[0]) {
      gateway = await startTestGateway(settings, clock, { wrapStore });
      outage = holding(gateway.storeFile);
    } else {
      server = await shareTestServer();
      const store = { url: await server.createDatabase(), completionKey: Buffer.alloc(32, 7) };
      gateway = await startTestGateway(settings, clock, { wrapStore, store });
      if (server.power === null) throw new Error('The test cannot stop this server.');
      outage = server.power;
    }
    chat = `${gateway.url}${chatPath}`;
  });
  afterAll(async () => {
    await gateway.stop();
    await server?.remove();
  });
  beforeEach(() => {
    gateway.engine.runs = 0;
    calls.length = 0;
    lost = null;
    gateway.engine.answering = createCountingEngine().answering;
    gateway.engine.streaming = null;
  });

  async function unheard<T>(name: Operation, work: Promise<T>): Promise<T> {
    calls.push(name);
    const result = await work;
    if (lost !== name) return result;
    lost = null;
    throw new StoreUnavailable('the response was lost');
  }

  async function signed(): Promise<Record<string, string>> {
    const validBefore = clock.nowSeconds() + 300;
    return paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey, {
      validBefore,
    });
  }

  /** Stops the store when the inference ends. The test starts it again. */
  function goesAwayMeanwhile(): void {
    const { answering } = createCountingEngine();
    gateway.engine.answering = async (task, limits) => {
      gateway.engine.answering = answering;
      await outage.off();
      return answering(task, limits);
    };
  }

  it('between two purchases: a request for a proof gets 503, never 404 (D-42)', async () => {
    const header = await signed();
    const response = await post(chat, chatBody, header);
    const proof = `${gateway.url}/v1/proofs/${decodeProof(response).proofId}`;
    await outage.off();
    const away = await fetch(proof);
    await outage.on();
    expect([away.status, await away.json()]).toMatchObject([503, { error: { code: 'unavailable' } }]);
    expect(away.headers.get('Retry-After')).toBe('1');
    await expect.poll(async () => (await fetch(proof)).status).toBe(200);
    const again = () => post(chat, chatBody, header).then(({ headers }) => headers.get('X-INFERENCE-PROOF'));
    await expect.poll(again).toBe(response.headers.get('X-INFERENCE-PROOF'));
  });

  it('for a moment: the completion is stored once the store is back, and the waiting client gets it', async () => {
    const [header, before] = [await signed(), await paid()];
    goesAwayMeanwhile();
    const response = post(chat, chatBody, header);
    await expect.poll(() => calls.filter((name) => name === 'execute').length).toBeGreaterThan(1);
    await outage.on();
    expect((await response).status).toBe(200);
    expect((await paid()) - before).toBe(await price());
  });

  it('for longer than a client waits: 503, and the same payment gets the completion later, with one charge', async () => {
    const [header, before] = [await signed(), await paid()];
    goesAwayMeanwhile();
    const pending = await post(chat, chatBody, header);
    expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
    expect(pending.headers.get('Retry-After')).toBe('1');
    const joined = await post(chat, chatBody, header);
    expect([joined.status, joined.body.error.code]).toEqual([503, 'settlement_pending']);
    await outage.on();
    const later = await expect.poll(() => post(chat, chatBody, header));
    await later.toMatchObject({ status: 200, body: { object: 'chat.completion' } });
    expect(gateway.engine.runs).toBe(1);
    expect((await paid()) - before).toBe(await price());
  });

  // In PostgreSQL the server's clock decides, and no test can move it (D-139).
  it.runIf(driver === drivers[0])(
    'for longer than the lease: the completion is lost, nothing is charged, and the same payment buys a new one',
    async () => {
      const [header, before] = [await signed(), await paid()];
      goesAwayMeanwhile();
      expect((await post(chat, chatBody, header)).status).toBe(503);
      manual.advance(76);
      await outage.on();
      const later = await expect.poll(() => post(chat, chatBody, header));
      await later.toMatchObject({ status: 200 });
      expect(gateway.engine.runs).toBe(2);
      expect((await paid()) - before).toBe(await price());
    },
  );

  it('after a failed inference: the client gets the error at once, and the same payment works later', async () => {
    const header = await signed();
    gateway.engine.answering = async () => {
      await outage.off();
      return fail({ kind: 'failed', detail: 'the test says so' });
    };
    expect((await post(chat, chatBody, header)).status).toBe(502);
    gateway.engine.answering = createCountingEngine().answering;
    await outage.on();
    const later = await expect.poll(() => post(chat, chatBody, header));
    await later.toMatchObject({ status: 200 });
  });

  it('after a completion whose response was lost: the completion is stored once', async () => {
    const [header, before] = [await signed(), await paid()];
    lost = 'execute';
    expect((await post(chat, chatBody, header)).status).toBe(200);
    expect(calls.filter((name) => name === 'execute')).toHaveLength(2);
    expect((await paid()) - before).toBe(await price());
  });

  it('after a reservation whose response was lost: it is released, and the same payment works again', async () => {
    const header = await signed();
    lost = 'reserve';
    expect((await post(chat, chatBody, header)).status).toBe(503);
    const later = await expect.poll(() => post(chat, chatBody, header));
    await later.toMatchObject({ status: 200 });
    expect(gateway.engine.runs).toBe(1);
  });

  it('after a release whose response was lost: the payment is released once', async () => {
    const header = await signed();
    lost = 'release';
    gateway.engine.answering = () => Promise.resolve(fail({ kind: 'failed', detail: 'the test says so' }));
    expect((await post(chat, chatBody, header)).status).toBe(502);
    await expect.poll(() => calls.filter((name) => name === 'release')).toHaveLength(2);
    gateway.engine.answering = createCountingEngine().answering;
    const later = await expect.poll(() => post(chat, chatBody, header));
    await later.toMatchObject({ status: 200 });
  });

  it('while a stream begins and while it ends (D-272): the client gets it whole, with one run and one charge', async () => {
    const model = createLiveText();
    gateway.engine.streaming = model.stream;
    const [header, before] = [await signed(), await paid()];
    const body = { ...chatBody, user: 'a purchase of its own' };
    let opened = openStream(chat, body, header);
    await model.begun;
    await outage.off();
    model.write('one');
    await expect.poll(() => calls.filter((name) => name === 'owe').length).toBeGreaterThan(1);
    await outage.on();
    // The settlement needs the store too, and may take longer than one request waits.
    const status = expect.poll(async () => {
      const { status } = await opened;
      if (status !== 200) opened = openStream(chat, body, header);
      return status;
    });
    await status.toBe(200);
    const stream = await opened;
    await outage.off();
    model.end();
    await expect.poll(() => calls.filter((name) => name === 'completeOwed').length).toBeGreaterThan(1);
    await outage.on();
    expect((await stream.rest()).at(-1)).toBe(lastEvent);
    expect([stream.text(), gateway.engine.runs]).toEqual(['one', 1]);
    expect((await paid()) - before).toBe(await price());
  });
});

/** Locks the file as a backup or a database shell may do. */
function holding(file: string): Outage {
  const other = new DatabaseSync(file, { timeout: 1_000 });
  return {
    off: async () => other.exec('BEGIN IMMEDIATE'),
    on: async () => other.exec('ROLLBACK'),
  };
}
