import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKeccak } from '../chain/keccak.ts';
import { createCanonicalHash } from '../proof/canonical-hash.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeProof,
  paymentFor,
  post,
  textPath,
} from '../testing/payer.ts';

// Bodies as OpenAI's SDKs send them, at a whole gateway.

const canonicalHash = createCanonicalHash(await createKeccak());
let gateway: TestGateway;
let chat: string;
let text: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  [chat, text] = [`${gateway.url}${chatPath}`, `${gateway.url}${textPath}`];
  key = gateway.devnet.payer.privateKey;
});
afterEach(() => {
  gateway.engine.honours = [];
});
afterAll(() => gateway?.stop());

const textBody = { model: chatBody.model, prompt: 'Once', max_tokens: 16 };

async function refusal(url: string, body: object): Promise<[number, string | null]> {
  const { status, body: response } = await post(url, body);
  return [status, response.error?.param ?? null];
}

describe('D-263: null in an optional field counts as absent', () => {
  const withNulls = {
    ...chatBody,
    temperature: null,
    stop: null,
    stream: null,
    seed: null,
    logit_bias: null,
  };

  it('in the price, the offer and the names of ignored fields', async () => {
    const response = await post(chat, withNulls);
    expect(response.status).toBe(402);
    expect(decodeOffer(response)).toEqual(decodeOffer(await post(chat, chatBody)));
    expect(response.headers.get(headerNames.ignoredFields)).toBeNull();
    expect((await post(text, { ...textBody, temperature: null, user: null, echo: null })).status).toBe(402);
  });

  it('in a message of the model that is sent back', async () => {
    const dumped = { role: 'assistant', content: 'pong', refusal: null, name: null, tool_calls: null };
    const again = { ...chatBody, messages: [...chatBody.messages, dumped, ...chatBody.messages] };
    expect((await post(chat, again)).status).toBe(402);
  });

  it('in a repetition, which gets the completion and its proof of the body that was executed', async () => {
    const payment = await paymentFor(decodeOffer(await post(chat, chatBody)), key);
    const before = gateway.engine.runs;
    const first = await post(chat, withNulls, payment);
    const second = await post(chat, chatBody, payment);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get(headerNames.idempotentReplayed)).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(gateway.engine.runs).toBe(before + 1);
    expect(decodeProof(first).inputHash).toBe(canonicalHash(withNulls));
    expect(decodeProof(second)).toEqual(decodeProof(first));
    expect((await post(chat, { ...chatBody, seed: 0 }, payment)).status).toBe(402);
  });

  it.each([
    [{ model: null }, 'model'],
    [{ messages: null }, 'messages'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    [{ messages: [{ role: 'assistant', content: null, tool_calls: null }] }, 'messages[0].content'],
    [{ messages: [{ role: 'tool', content: '1', tool_call_id: null }] }, 'messages[0].tool_call_id'],
  ])('but %j is refused, because the field is required', async (change, param) => {
    expect(await refusal(chat, { ...chatBody, ...change })).toEqual([400, param]);
  });
});

describe('D-264: max_completion_tokens', () => {
  const { max_tokens: _, ...bare } = chatBody;

  it('means max_tokens on both endpoints', async () => {
    const expected = decodeOffer(await post(chat, chatBody));
    expect(decodeOffer(await post(chat, { ...bare, max_completion_tokens: 16 }))).toEqual(expected);
    expect(decodeOffer(await post(chat, { ...chatBody, max_completion_tokens: 16 }))).toEqual(expected);
    const { max_tokens: __, ...bareText } = textBody;
    const offer = decodeOffer(await post(text, { ...bareText, max_completion_tokens: 16 }));
    expect(offer).toEqual(decodeOffer(await post(text, textBody)));
  });

  it('must equal max_tokens, and has its limits', async () => {
    const param = 'max_completion_tokens';
    expect(await refusal(chat, { ...chatBody, [param]: 17 })).toEqual([400, param]);
    expect(await refusal(chat, { ...bare, [param]: 0 })).toEqual([400, param]);
    expect(await refusal(chat, { ...bare, [param]: 1_000_000 })).toEqual([400, param]);
    expect(await refusal(text, { ...textBody, [param]: 17 })).toEqual([400, param]);
  });
});

describe('D-264: fields that an engine may honour', () => {
  const fields = { seed: 7, top_p: 0.5, frequency_penalty: 1, presence_penalty: -1, user: 'u' };

  it('are named in X-Ignored-Fields when it does not, on the offer and on the completion', async () => {
    const body = { ...chatBody, ...fields, metadata: { run: '1' }, store: true };
    const offered = await post(chat, body);
    const paid = await post(chat, body, await paymentFor(decodeOffer(offered), key));
    expect([offered.status, paid.status]).toEqual([402, 200]);
    for (const { headers } of [offered, paid]) {
      const ignored = headers.get(headerNames.ignoredFields)?.split(', ') ?? [];
      expect(new Set(ignored)).toEqual(new Set(['store', 'metadata', ...Object.keys(fields)]));
    }
  });

  it('are not named when it does', async () => {
    gateway.engine.honours = ['seed', 'top_p', 'frequency_penalty', 'presence_penalty'];
    const { headers } = await post(text, { ...textBody, ...fields });
    expect(headers.get(headerNames.ignoredFields)).toBe('user');
  });

  it.each([
    { seed: 1.5 },
    { seed: 2 ** 60 },
    { top_p: 1.1 },
    { frequency_penalty: 3 },
    { presence_penalty: 'high' },
    { user: 7 },
    { metadata: { run: 1 } },
  ])('get 400 for the value %j', async (change) => {
    const [status, param] = await refusal(chat, { ...chatBody, ...change });
    expect([status, param?.split('.')[0]]).toEqual([400, Object.keys(change)[0]]);
  });
});

describe('D-265: fields that change the product', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }];
  const json_schema = { name: 'answer', schema: { type: 'object' } };

  it.each([
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ response_format: { type: 'json_schema', json_schema } }, 'response_format'],
    [{ tools, parallel_tool_calls: false }, 'parallel_tool_calls'],
  ] as const)('%j gets 400 before payment from an engine that does not know it', async (change, param) => {
    const body = { ...chatBody, ...change };
    expect(await refusal(chat, body)).toEqual([400, param]);
    gateway.engine.honours = [param];
    const response = await post(chat, body);
    expect([response.status, response.headers.get(headerNames.ignoredFields)]).toEqual([402, null]);
  });

  it.each([
    { response_format: { type: 'text' } },
    { tools, parallel_tool_calls: true },
    { parallel_tool_calls: false },
  ])('%j asks for the usual product', async (change) => {
    const response = await post(chat, { ...chatBody, ...change });
    expect([response.status, response.headers.get(headerNames.ignoredFields)]).toEqual([402, null]);
  });

  it('a broken response_format is refused by its place', async () => {
    gateway.engine.honours = ['response_format'];
    const ask = (response_format: unknown) => refusal(chat, { ...chatBody, response_format });
    expect(await ask('json')).toEqual([400, 'response_format']);
    expect(await ask({})).toEqual([400, 'response_format.type']);
    expect(await ask({ type: 'xml' })).toEqual([400, 'response_format.type']);
    expect(await ask({ type: 'json_schema' })).toEqual([400, 'response_format.json_schema']);
    expect(await ask({ type: 'json_schema', json_schema: {} })).toEqual([
      400,
      'response_format.json_schema.name',
    ]);
    expect(await refusal(text, { ...textBody, response_format: { type: 'json_object' } })).toEqual([
      400,
      'response_format',
    ]);
  });

  it('a longer schema costs more, because the model reads it (D-16)', async () => {
    gateway.engine.honours = ['response_format'];
    const wide = { name: 'answer', schema: { description: 'x'.repeat(20_000) } };
    const ask = async (described: object) =>
      decodeOffer(
        await post(chat, { ...chatBody, response_format: { type: 'json_schema', json_schema: described } }),
      ).maxAmountRequired;
    expect(BigInt(await ask(wide))).toBeGreaterThan(BigInt(await ask(json_schema)));
  });
});

describe('D-266: a fault names the header of the payment', () => {
  it.each([headerNames.payment, headerNames.paymentSignature])('%s', async (name) => {
    const offer = decodeOffer(await post(chat, chatBody));
    const [signed = ''] = Object.values(await paymentFor(offer, key));
    const payment = JSON.parse(Buffer.from(signed, 'base64').toString());
    payment.payload.signature = `0x${'00'.repeat(64)}1b`;
    const forged = await post(chat, chatBody, { [name]: btoa(JSON.stringify(payment)) });
    expect([forged.status, forged.body.error.param]).toEqual([401, name]);
    const broken = await post(chat, chatBody, { [name]: '***' });
    expect([broken.status, broken.body.message.split(' ')[0]]).toEqual([402, name]);
  });
});
