import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenStore } from '../store/store.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeReceipt,
  paymentFor,
  post,
  type ReceivedResponse,
} from '../testing/payer.ts';
import { fail, ok } from '../types/result.ts';
import { atomicAmount } from '../types/units.ts';

let gateway: TestGateway;
let chat: string;
let payer: Awaited<ReturnType<TestGateway['devnet']['fundPayer']>>;
let price: bigint;
const prices = 50n;

beforeAll(async () => {
  gateway = await startTestGateway({ settlementWaitMs: 1_000 });
  chat = `${gateway.url}${chatPath}`;
  price = BigInt(decodeOffer(await post(chat, chatBody)).maxAmountRequired);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  payer = await gateway.devnet.fundPayer(atomicAmount(prices * price));
  gateway.engine.runs = 0;
  gateway.engine.answering = createCountingEngine().answering;
});
afterEach(async () => {
  await gateway.rpc.call('evm_setAutomine', [true]);
  await gateway.rpc.call('evm_mine', []);
});

type Change = {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly by?: typeof payer;
};

/** Signs a new authorization, as every x402 wrapper does. */
async function sign(body: object = chatBody, by = payer): Promise<Record<string, string>> {
  return paymentFor(decodeOffer(await post(chat, body)), by.privateKey);
}

/** Buys with a new authorization. */
async function buy({ body = chatBody, headers = {}, signal, by }: Change = {}) {
  return post(chat, body, { ...headers, ...(await sign(body, by)) }, signal);
}

async function paidPrices({ address } = payer): Promise<number> {
  return Number(prices - (await gateway.balanceOf(address)) / price);
}

function areOne(responses: readonly ReceivedResponse[]): void {
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(new Set(responses.map((response) => decodeReceipt(response).txHash)).size).toBe(1);
  expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1);
}

/** Starts a purchase whose payment the chain does not settle until automine is on. */
async function buyPending(change: Change = {}): Promise<void> {
  await gateway.rpc.call('evm_setAutomine', [false]);
  const pending = await buy(change);
  expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
}

/** Lets the chain settle, and waits until the gateway has seen it. */
async function mine(): Promise<void> {
  await gateway.rpc.call('evm_setAutomine', [true]);
  await gateway.rpc.call('evm_mine', []);
  await expect.poll(() => paidPrices()).toBeGreaterThan(0);
  await expect.poll(countUnsettled).toBe(0);
}

/** Counts the payments of the store that the chain has not decided, as far as the gateway knows. */
function countUnsettled(): number {
  using database = new DatabaseSync(gateway.storeFile, { readOnly: true });
  const sql = "SELECT count(*) AS payments FROM payment WHERE state IN ('reserved', 'executed', 'submitted')";
  return Number(database.prepare(sql).get()?.['payments']);
}

describe('D-258: a new authorization for the same request, before its response', () => {
  it('20 at the same time run once and pay once, and every receipt names the payment that paid', async () => {
    const headers = await Promise.all(Array.from({ length: 20 }, () => sign()));
    gateway.engine.answering = async (task) => {
      // All requests arrive before the first response.
      await pause(500);
      return ok(pong(task));
    };
    const responses = await Promise.all(headers.map((header) => post(chat, chatBody, header)));
    areOne(responses);
    expect([gateway.engine.runs, await paidPrices()]).toEqual([1, 1]);
    const first = responses.filter(({ headers }) => !headers.has(headerNames.idempotentReplayed));
    expect(first).toHaveLength(1);
  });

  it('joins a payment that is not settled, and gets its completion once the chain shows it', async () => {
    await buyPending();
    const again = await sign();
    expect((await post(chat, chatBody, again)).body.error.code).toBe('settlement_pending');
    await mine();
    areOne([await post(chat, chatBody, again), await post(chat, chatBody, again)]);
    expect([gateway.engine.runs, await paidPrices()]).toEqual([1, 1]);
  });

  it('joins a settled payment whose response did not arrive', async () => {
    await gateway.rpc.call('evm_setAutomine', [false]);
    const left = new AbortController();
    gateway.engine.answering = async (task) => {
      setTimeout(() => left.abort(), 50);
      return ok(pong(task));
    };
    await expect(buy({ signal: left.signal })).rejects.toThrow();
    await mine();
    areOne([await buy()]);
    expect([gateway.engine.runs, await paidPrices()]).toEqual([1, 1]);
  });

  it('is never charged: after a delivered join, the same payment again gets the same completion', async () => {
    await buyPending();
    const again = await sign();
    await post(chat, chatBody, again);
    await mine();
    await buy();
    await buy();
    expect(await paidPrices()).toBe(2);
    areOne([await post(chat, chatBody, again), await post(chat, chatBody, again)]);
    expect(await paidPrices()).toBe(2);
    const other = await post(chat, { ...chatBody, max_tokens: 15 }, again);
    expect([other.status, other.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  });

  it('needs no tokens, no chain and no free capacity', async () => {
    const poor = await gateway.devnet.fundPayer(atomicAmount(price));
    await gateway.rpc.call('evm_setAutomine', [false]);
    await buy({ by: poor });
    const again = await sign(chatBody, poor);
    await gateway.rpc.call('evm_setAutomine', [true]);
    await gateway.rpc.call('evm_mine', []);
    await expect.poll(() => gateway.balanceOf(poor.address)).toBe(0n);
    areOne([await post(chat, chatBody, again)]);
  });

  it('is not cancelled while one of the clients stays', async () => {
    const left = new AbortController();
    const inferred = Promise.withResolvers<void>();
    const started = Promise.withResolvers<AbortSignal>();
    gateway.engine.answering = async (task, { signal }) => {
      started.resolve(signal);
      await inferred.promise;
      return ok(pong(task));
    };
    const first = buy({ signal: left.signal }).catch(() => 'left');
    const signal = await started.promise;
    const second = buy();
    await pause(100);
    left.abort();
    expect(await first).toBe('left');
    await pause(50);
    expect(signal.aborted).toBe(false);
    inferred.resolve();
    areOne([await second]);
    expect([gateway.engine.runs, await paidPrices()]).toEqual([1, 1]);
  });

  it('shares a failure, and pays for a new inference after it', async () => {
    gateway.engine.answering = async () => {
      await pause(50);
      return fail({ kind: 'failed', detail: 'down' });
    };
    const headers = [await sign(), await sign()];
    const failed = await Promise.all(headers.map((header) => post(chat, chatBody, header)));
    expect(failed.map(({ status }) => status)).toEqual([502, 502]);
    gateway.engine.answering = createCountingEngine().answering;
    for (const header of headers) expect((await post(chat, chatBody, header)).status).toBe(200);
    expect(await paidPrices()).toBe(2);
  });

  it('pays by itself when the one that it would join is refused', async () => {
    const wrapStore = (store: OpenStore): OpenStore => ({
      ...store,
      // Slow, so that both requests are in progress at the same time.
      lookUp: async (...parameters) => {
        await pause(100);
        return store.lookUp(...parameters);
      },
    });
    const slow = await startTestGateway({}, undefined, { wrapStore });
    try {
      const url = `${slow.url}${chatPath}`;
      const { payer } = slow.devnet;
      const other = { ...chatBody, messages: [{ role: 'user', content: 'pang' }] };
      const header = async () => paymentFor(decodeOffer(await post(url, chatBody)), payer.privateKey);
      const [used, fresh] = [await header(), await header()];
      expect((await post(url, other, used)).status).toBe(200);
      const refused = post(url, chatBody, used);
      await pause(30);
      expect((await post(url, chatBody, fresh)).status).toBe(200);
      expect((await refused).body.error).toBe('invalid_exact_evm_nonce_already_used');
    } finally {
      await slow.stop();
    }
  });

  it('does not join the payment of another payer, of another request or of another key', async () => {
    const other = await gateway.devnet.fundPayer(atomicAmount(price));
    await Promise.all([
      buy(),
      buy({ by: other }),
      buy({ body: { ...chatBody, messages: [{ role: 'user', content: 'pang' }] } }),
      buy({ headers: { 'X-SETTLEMENT-TYPE': 'individual' } }),
      buy({ headers: { 'Idempotency-Key': 'one' } }),
      buy({ headers: { 'Idempotency-Key': 'two' } }),
    ]);
    expect(gateway.engine.runs).toBe(6);
    expect([await paidPrices(), await gateway.balanceOf(other.address)]).toEqual([5, 0n]);
  });
});

it('A join counts against the rate limit of its payer (D-258)', async () => {
  const limited = await startTestGateway({ payerRateLimit: { requestsMax: 2, windowSeconds: 60 } });
  try {
    const url = `${limited.url}${chatPath}`;
    const { payer } = limited.devnet;
    const retry = async () => {
      const signed = await paymentFor(decodeOffer(await post(url, chatBody)), payer.privateKey);
      return post(url, chatBody, { ...signed, 'x-stainless-retry-count': '1' });
    };
    expect([(await retry()).status, (await retry()).status, (await retry()).status]).toEqual([200, 200, 429]);
    expect(limited.engine.runs).toBe(1);
  } finally {
    await limited.stop();
  }
});

describe('D-258: a new authorization for the same request, after its response', () => {
  it.each([{}, { 'x-stainless-retry-count': '0' }, { 'x-stainless-retry-count': 'no number' }])(
    'is a new purchase with the headers %o',
    async (headers: Record<string, string>) => {
      await buy({ headers });
      await buy({ headers });
      expect([gateway.engine.runs, await paidPrices()]).toEqual([2, 2]);
    },
  );

  it.each([{ 'x-stainless-retry-count': '1' }, { 'Idempotency-Key': 'a key' }])(
    'joins with the headers %o',
    async (headers: Record<string, string>) => {
      const first = await buy('Idempotency-Key' in headers ? { headers } : {});
      const again = await buy({ headers });
      areOne([first, again]);
      expect(again.headers.get(headerNames.idempotentReplayed)).toBe('true');
      expect([gateway.engine.runs, await paidPrices()]).toEqual([1, 1]);
    },
  );

  it('of a private request joins as a retry, until the completion is dropped', async () => {
    const headers = { 'X-SETTLEMENT-TYPE': 'private', 'x-stainless-retry-count': '1' };
    areOne([await buy({ headers }), await buy({ headers })]);
    expect(await paidPrices()).toBe(1);
  });

  it('is refused with 400 when its key named another request, and nothing is charged (D-260)', async () => {
    const headers = { 'Idempotency-Key': 'the same' };
    await buy({ headers });
    const other = await buy({
      headers,
      body: { ...chatBody, messages: [{ role: 'user', content: 'other' }] },
    });
    expect(other.status).toBe(400);
    expect(other.body.error).toMatchObject({ code: 'invalid_request', param: 'Idempotency-Key' });
    expect([gateway.engine.runs, await paidPrices()]).toEqual([1, 1]);
  });
});
