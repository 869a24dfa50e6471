import process from 'node:process';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionRequest,
  createChatCompletion,
  createCompletion,
  getCreateChatCompletionUrl,
  getModel,
  getProof,
  type InferenceProof,
  listModels,
  type Message,
  type MethodNotAllowedBody,
  type PaymentReceipt,
  type PaymentRequirements,
  type ToolDefinition,
} from './generated/gateway.ts';
import { decode, pay } from './pay.mts';

const { PAYER_KEY: key = '', SCENARIO: scenario = '' } = process.env;

/** What all results of the generated functions have in common. */
type Result = { readonly status: number; readonly headers: Headers };
/** The body of an error. That of an offer has a text. */
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
  if (unpaid.status !== 402) return unpaid;
  return send({ 'X-PAYMENT': await pay(key, readOffer(unpaid), new Date(), more) });
}

function readOffer({ headers }: Result): PaymentRequirements {
  return decode<PaymentRequirements>(headers.get('X-PAYMENT-REQUIRED'));
}

const sendChat =
  (body: ChatCompletionRequest, more: Record<string, string> = {}) =>
  (headers: Record<string, string>) =>
    createChatCompletion(body, { headers: { ...headers, ...more } });

async function buyChat(body: ChatCompletionRequest, more = 0n) {
  const bought = await buy(sendChat(body), more);
  if (bought.status !== 200) return fail(bought);
  return succeed(bought, readMessage(bought.data)?.content);
}

/** The message of a completion. The generated type also has the chunks of a stream. */
function readMessage(data: ChatCompletion | ChatCompletionChunk) {
  return data.object === 'chat.completion' ? data.choices[0]?.message : undefined;
}

async function buyText() {
  const body = { model, prompt: 'What is 6 times 7?' };
  const bought = await buy((headers) => createCompletion(body, { headers }));
  return bought.status === 200 ? succeed(bought, bought.data.choices[0]?.text) : fail(bought);
}

async function buyWithTool() {
  const called = await buy(sendChat({ model, messages: [asked], tools: [tool] }));
  if (called.status !== 200) return fail(called);
  const message = readMessage(called.data);
  const [call] = message?.tool_calls ?? [];
  if (message === undefined || call === undefined) return succeed(called);
  const result: Message = { role: 'tool', tool_call_id: call.id, content: '{"status":"shipped"}' };
  return buyChat({ model, messages: [asked, message, result], tools: [tool] });
}

async function buyWithProof() {
  const bought = await buy(sendChat(chat, { 'X-SETTLEMENT-TYPE': 'individual' }));
  const proof = decode<InferenceProof>(bought.headers.get('X-INFERENCE-PROOF'));
  const record = await getProof(proof.proofId);
  return record.status === 200 ? succeed(bought, record.data.leafHash) : fail(record);
}

/** The generated client has no function for a method without an operation, so only the body is typed. */
async function deleteChat() {
  const response = await fetch(getCreateChatCompletionUrl(), { method: 'DELETE' });
  const data: MethodNotAllowedBody = await response.json();
  return fail({ status: response.status, headers: response.headers, data });
}

async function play() {
  switch (scenario) {
    case 'pay-text':
      return buyText();
    case 'pay-tools':
      return buyWithTool();
    case 'error-400':
      return buyChat({ ...chat, temperature: 3 });
    case 'error-401':
      return buyChat(chat, 1n);
    case 'error-402-offer': {
      const unpaid = await sendChat(chat)({});
      return { ...line(unpaid), text: readOffer(unpaid).maxAmountRequired };
    }
    case 'error-404': {
      const found = await getModel('x');
      return found.status === 200 ? succeed(found) : fail(found);
    }
    case 'error-405':
      return deleteChat();
    case 'error-413':
      return buyChat({ model, messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] });
    case 'error-415': {
      const sent = await sendChat(chat)({ 'Content-Type': 'text/plain' });
      return sent.status === 200 ? succeed(sent) : fail(sent);
    }
    case 'models': {
      const models = await listModels();
      if (models.status !== 200) return fail(models);
      return succeed(models, models.data.data.map(({ id }) => id).join(','));
    }
    case 'proof':
      return buyWithProof();
    default:
      return buyChat(chat);
  }
}

function line({ status }: Result) {
  return { scenario, status, code: null, param: null, text: null, txHash: null };
}

function succeed(result: Result, text: string | null = null) {
  const receipt = result.headers.get('X-PAYMENT-RESPONSE');
  return { ...line(result), text, txHash: receipt && decode<PaymentReceipt>(receipt).txHash };
}

function fail(result: Result & { readonly data: Failure }) {
  const { error } = result.data;
  if (typeof error !== 'object') return line(result);
  return { ...line(result), code: error.code, param: error.param ?? null };
}

console.log(JSON.stringify(await play()));
