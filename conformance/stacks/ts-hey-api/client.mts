import process from 'node:process';
import { client } from './generated/client.gen.ts';
import {
  type ChatCompletionRequest,
  createChatCompletion,
  createCompletion,
  getModel,
  getProof,
  type InferenceProof,
  listModels,
  type Message,
  type MethodNotAllowedBody,
  type PaymentReceipt,
  type PaymentRequirements,
  type ToolDefinition,
} from './generated/index.ts';
import { decode, pay } from './pay.mts';

const { GATEWAY_URL: baseUrl = '', PAYER_KEY: key = '', SCENARIO: scenario = '' } = process.env;
client.setConfig({ baseUrl });

/** What all results of the generated functions have in common. */
type Result = { readonly error?: unknown; readonly response?: Response };
type Failure = { readonly error?: string | { readonly code: string; readonly param?: string | null } };
type Send<R> = (headers: Record<string, string>) => Promise<R>;

const model = 'alder/alder-mini';
const question: Message = { role: 'user', content: 'What is 6 times 7?' };
const chat: ChatCompletionRequest = { model, messages: [question] };
const tool: ToolDefinition = {
  type: 'function',
  function: {
    name: 'order_status',
    description: 'Looks up the status of an order by its number',
    parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
  },
};
const asked: Message = { role: 'user', content: 'What is the status of order A-1042?' };

/** Sends a request, and again with a payment if the response has an offer. */
async function buy<R extends Result>(send: Send<R>, more = 0n): Promise<R> {
  const unpaid = await send({});
  if (unpaid.response?.status !== 402) return unpaid;
  const offer = readOffer(unpaid);
  return send({ 'X-PAYMENT': await pay(key, offer, new Date(), more) });
}

function readOffer({ response }: Result): PaymentRequirements {
  return decode<PaymentRequirements>(response?.headers.get('X-PAYMENT-REQUIRED') ?? null);
}

const sendChat =
  (body: ChatCompletionRequest, more: Record<string, string> = {}) =>
  (headers: Record<string, string>) =>
    createChatCompletion({ body, headers: { ...headers, ...more } });

async function buyWithTool() {
  const called = await buy(sendChat({ model, messages: [asked], tools: [tool] }));
  const message = called.data?.choices[0]?.message;
  const [call] = message?.tool_calls ?? [];
  if (message === undefined || call === undefined) return report(called);
  const result: Message = { role: 'tool', tool_call_id: call.id, content: '{"status":"shipped"}' };
  const told = await buy(sendChat({ model, messages: [asked, message, result], tools: [tool] }));
  return report(told, told.data?.choices[0]?.message.content);
}

async function buyWithProof() {
  const bought = await buy(sendChat(chat, { 'X-SETTLEMENT-TYPE': 'individual' }));
  const proof = decode<InferenceProof>(bought.response?.headers.get('X-INFERENCE-PROOF') ?? null);
  const record = await getProof({ path: { id: proof.proofId } });
  return report(record, record.data?.leafHash, bought.response);
}

/** The line of a result. Its error is typed by the generated functions. */
function report(
  { error, response }: Result & { readonly error?: Failure },
  text: string | null = null,
  paid = response,
) {
  const receipt = paid?.headers.get('X-PAYMENT-RESPONSE') ?? null;
  const detail = typeof error?.error === 'object' ? error.error : undefined;
  return {
    scenario,
    status: response?.status,
    code: detail?.code ?? null,
    param: detail?.param ?? null,
    text,
    txHash: receipt === null ? null : decode<PaymentReceipt>(receipt).txHash,
  };
}

async function play() {
  switch (scenario) {
    case 'pay-text': {
      const body = { model, prompt: 'What is 6 times 7?' };
      const bought = await buy((headers) => createCompletion({ body, headers }));
      return report(bought, bought.data?.choices[0]?.text);
    }
    case 'pay-tools':
      return buyWithTool();
    case 'error-400':
      return report(await buy(sendChat({ ...chat, temperature: 3 })));
    case 'error-401':
      return report(await buy(sendChat(chat), 1n));
    case 'error-402-offer': {
      const unpaid = await sendChat(chat)({});
      return report(unpaid, readOffer(unpaid).maxAmountRequired);
    }
    case 'error-404':
      return report(await getModel({ path: { id: 'x' } }));
    case 'error-405':
      return report(
        await client.delete<unknown, { 405: MethodNotAllowedBody }>({ url: '/v1/chat/completions' }),
      );
    case 'error-413':
      return report(
        await buy(sendChat({ model, messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] })),
      );
    case 'error-415':
      return report(await sendChat(chat)({ 'Content-Type': 'text/plain' }));
    case 'models': {
      const models = await listModels();
      return report(models, models.data?.data.map(({ id }) => id).join(','));
    }
    case 'proof':
      return buyWithProof();
    default: {
      const bought = await buy(sendChat(chat));
      return report(bought, bought.data?.choices[0]?.message.content);
    }
  }
}

console.log(JSON.stringify(await play()));
