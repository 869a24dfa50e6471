import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiEngine } from '../inference/openai/openai-engine.ts';
import { createLog } from '../observe/log.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatCompletion } from '../testing/inference/exchange.ts';
import { json, openUpstream } from '../testing/inference/fake-upstream.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';

type SentSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
};
type Export = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
};

const steps = ['balance', 'infer', 'lookup', 'prove', 'record', 'reserve', 'settle', 'verify'];
const completion = chatCompletion({ content: 'pong' });
let gateway: TestGateway | null = null;
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
});

/** Starts a collector, an upstream, and a gateway with traces. */
async function openTraced(settings: object = {}) {
  const stack = new AsyncDisposableStack();
  const collector = stack.use(await openUpstream(json({})));
  const upstream = stack.use(await openUpstream(json(completion)));
  const started = await startTestGateway({ tracesUrl: `${collector.baseUrl}/traces`, ...settings });
  const engine = createOpenAiEngine({
    baseUrl: upstream.baseUrl,
    model: 'm',
    connectTimeoutMs: 1_000,
    headersTimeoutMs: 5_000,
    responseBytesMax: 65_536,
    eventBytesMax: 65_536,
    idleTimeoutMs: 5_000,
    connections: 4,
  });
  stack.defer(() => engine.close());
  started.engine.answering = (task, limits) => engine.infer(task, limits);
  started.engine.streaming = (task, limits) => engine.stream(task, limits);
  let isOpen = true;
  return {
    upstream,
    gateway: started,
    /** Stops the gateway, which sends its last spans. */
    async readSpans(): Promise<readonly SentSpan[]> {
      if (isOpen) await started.stop();
      isOpen = false;
      return collector.seen.flatMap(({ body }) =>
        (body as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
    },
    async [Symbol.asyncDispose]() {
      if (isOpen) await started.stop();
      await stack.disposeAsync();
    },
  };
}

async function buy({ url, devnet }: TestGateway, body: object = chatBody) {
  const offer = decodeOffer(await post(url + chatPath, body));
  const payment = await paymentFor(offer, devnet.payer.privateKey);
  const response = await fetch(url + chatPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...payment },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe('D-305: the trace of a paid request', () => {
  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('has one span for each step, also when it is %s', async (_, change) => {
    await using traced = await openTraced();
    const { txHash } = decodeReceipt(await buy(traced.gateway, { ...chatBody, ...change }));
    const spans = await traced.readSpans();
    const [root, ...others] = spans.filter(({ parentSpanId }) => !parentSpanId);
    expect([root?.name, others]).toEqual([`POST ${chatPath}`, []]);
    const children = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
    expect([...new Set(children.map(({ name }) => name))].sort()).toEqual(steps);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(readAttributes(children, 'settle')).toMatchObject({ 'paid_inference.transaction': txHash });
    expect(readAttributes(children, 'infer')).toMatchObject({
      'gen_ai.request.model': chatBody.model,
      'gen_ai.usage.input_tokens': completion.usage.prompt_tokens,
    });
  });

  it('goes on in the upstream, which gets the context of the inference', async () => {
    await using traced = await openTraced();
    await buy(traced.gateway);
    const [request] = traced.upstream.seen;
    const infer = (await traced.readSpans()).find(({ name }) => name === 'infer');
    expect(request?.headers['traceparent']).toBe(`00-${infer?.traceId}-${infer?.spanId}-01`);
  });

  it('names neither payer nor prompt, and no unpaid request has one', async () => {
    await using traced = await openTraced();
    await buy(traced.gateway, { ...chatBody, messages: [{ role: 'user', content: 'a-secret-prompt' }] });
    const { payer } = traced.gateway.devnet;
    const spans = await traced.readSpans();
    expect(spans.filter(({ parentSpanId }) => !parentSpanId)).toHaveLength(1);
    const sent = JSON.stringify(spans).toLowerCase();
    expect(sent).not.toContain(payer.address.slice(2).toLowerCase());
    expect(sent).not.toContain('a-secret-prompt');
  });

  it('shows the step that failed', async () => {
    await using traced = await openTraced();
    const { url, engine, devnet } = traced.gateway;
    engine.answering = async () => ({ ok: false, fault: { kind: 'timeout', detail: 'late' } });
    const offer = decodeOffer(await post(url + chatPath, chatBody));
    const failed = await post(url + chatPath, chatBody, await paymentFor(offer, devnet.payer.privateKey));
    expect(failed.status).toBe(504);
    const spans = await traced.readSpans();
    const ends = spans.filter(({ status }) => status.code === 2).map(({ name }) => name);
    expect(ends.sort()).toEqual(['POST /v1/chat/completions', 'infer']);
  });

  it('is not made for the requests that are not sampled', async () => {
    await using traced = await openTraced({ tracesRatio: 0 });
    await buy(traced.gateway);
    expect(await traced.readSpans()).toEqual([]);
    expect(traced.upstream.seen[0]?.headers['traceparent']).toMatch(/-00$/);
  });
});

it('A collector that is down stops no sale, and the log says so once', async () => {
  const warnings: unknown[] = [];
  const log = { ...createLog('silent'), warn: (...line: unknown[]) => void warnings.push(line.at(-1)) };
  const traced = await startTestGateway({ tracesUrl: 'http://127.0.0.1:1/v1/traces' }, undefined, { log });
  await buy(traced);
  await traced.stop();
  expect(warnings.filter((text) => String(text).startsWith('traces cannot be sent'))).toHaveLength(1);
});

describe('D-306: Server-Timing', () => {
  it('has the time of each step and of the whole', async () => {
    gateway = await startTestGateway({ serverTiming: true });
    const { headers } = await buy(gateway);
    const entries = (headers.get('Server-Timing') ?? '').split(', ').map((entry) => entry.split(';dur='));
    expect(entries.map(([name]) => name).sort()).toEqual([...steps, 'total'].sort());
    const ms = Object.fromEntries(entries.map(([name, time]) => [name, Number(time)]));
    expect(ms['settle']).toBeGreaterThan(0);
    expect(ms['total']).toBeGreaterThanOrEqual(ms['settle'] ?? 0);
  });

  it('is off by default, because the times tell clients about the store', async () => {
    gateway = await startTestGateway();
    expect((await buy(gateway)).headers.get('Server-Timing')).toBeNull();
  });
});

function readAttributes(spans: readonly SentSpan[], name: string): Readonly<Record<string, unknown>> {
  const all = spans.filter((span) => span.name === name).flatMap(({ attributes }) => attributes);
  return Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]]));
}
