import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { chainId, network } from '@paid-inference/contract/constants';
import { hexlify, randomBytes } from 'ethers';
import type { Offer } from '../payment/offer.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { model } from './purchase.ts';
import type { Recorded } from './recording.ts';
import type { Act, Breakage, Ending } from './scenario.ts';
import { type Completion, deliver, type StreamForm, sendStream } from './stream.ts';
import { type Receipt, type SentPayment, writeOffer, writeReceipt } from './wire.ts';

/** A request, its response, and its record. */
export type Wire = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly recorded: Recorded;
  /** How the gateway streams the completion; null for a completion as JSON. */
  readonly stream: StreamForm | null;
};
export type Port = GatewayOptions & {
  readonly elsewhereUrl: string;
  /** The honest receipts of this gateway so far. */
  readonly receipts: Receipt[];
};

type Headers = Readonly<Record<string, string>>;

/** Several words, so that a stream has a middle. */
const text = 'pong, pong, pong, pong.';

/** Settles a payment if the act says so, and ends the request. A payment that the token refuses gets an offer. */
export async function respondTo(
  wire: Wire,
  port: Port,
  { settles, ending }: Act,
  payment: SentPayment,
  nextOffer: () => Offer,
): Promise<void> {
  const hash = settles ? await port.devnet.settle(payment) : undefined;
  if (settles && hash === undefined) return sendOffer(wire, nextOffer(), 'settlement_failed');
  const txHash = hash ?? hexlify(randomBytes(32));
  const { from: payer } = payment.authorization;
  const receipt: Receipt = { success: true, network, chainId, txHash, transaction: txHash, payer };
  const note = settles ? ', after the settlement' : ', without a settlement';
  await end(wire, port, ending, receipt, nextOffer);
  port.receipts.push(receipt);
  wire.recorded.reaction += note;
}

async function end(wire: Wire, port: Port, ending: Ending, receipt: Receipt, nextOffer: () => Offer) {
  const { response, recorded } = wire;
  switch (ending.kind) {
    case 'serve': {
      const before = port.receipts.at(-1);
      const shown = ending.receipt ? ending.receipt(receipt, before) : receipt;
      return sendCompletion(wire, port, shown === null ? {} : writeReceipt(shown), ending);
    }
    case 'error':
      return refuse(wire, ending.status, ending.code, ending.type, ending.headers);
    case 'offer':
      return sendOffer(wire, nextOffer(), 'settlement_failed');
    case 'reset':
      recorded.reaction = 'reset';
      response.socket?.resetAndDestroy();
      return;
    case 'silence':
      recorded.reaction = `silence for ${port.silenceMs / 1000} s`;
      await delay(port.silenceMs, undefined, { ref: false });
      response.destroy();
      return;
    case 'cut':
      return sendCompletion(wire, port, writeReceipt(receipt), { isCut: true });
    case 'break-stream':
      return sendCompletion(wire, port, writeReceipt(receipt), ending);
    case 'page': {
      const { status } = ending;
      recorded.reaction = `${status} with a page`;
      const headers = status === 200 ? writeReceipt(receipt) : {};
      response
        .writeHead(status, { 'Content-Type': 'text/html', ...headers })
        .end('<h1>A page of a proxy</h1>');
      return;
    }
    case 'redirect':
      return redirect(wire, port.elsewhereUrl);
  }
}

export function redirect({ response, recorded }: Wire, origin: string): void {
  recorded.reaction = '307 to another origin';
  response.writeHead(307, { Location: origin + recorded.path, 'Content-Length': '0' }).end();
}

/** Sends a 402 with the offer in the forms of the contract and of x402. */
export function sendOffer(wire: Wire, offer: Offer, error = 'X-PAYMENT header is required'): void {
  const { headers, body } = writeOffer(offer, error);
  sendJson(wire, 402, body, { ...headers, 'x-should-retry': 'false' });
  wire.recorded.reaction += ` with an offer of ${offer.maxAmountRequired} units`;
}

export function refuse(
  wire: Wire,
  status: number,
  code: string,
  type = 'invalid_request_error',
  headers: Headers = {},
): void {
  sendJson(wire, status, { error: { message: `Refused: ${code}.`, type, code } }, headers);
  wire.recorded.reaction += ` ${code}`;
}

export function sendJson(wire: Wire, status: number, body: unknown, headers: Headers = {}): void {
  wire.recorded.reaction = `${status}`;
  wire.response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  wire.response.end(JSON.stringify(body));
}

type Delivery = { readonly completionId?: string; readonly isCut?: boolean; readonly breakage?: Breakage };

/** Sends a completion, or a part of it. Notes when the whole completion was written to an open connection. */
export async function sendCompletion(
  wire: Wire,
  port: Port,
  headers: Headers,
  { completionId = 'cmpl-1', isCut = false, breakage }: Delivery = {},
): Promise<void> {
  const { response, recorded, stream } = wire;
  const completion = completionFor(completionId, recorded.path, port);
  if (stream !== null) return sendStream(wire, completion, stream, headers, breakage, port.silenceMs);
  const body = Buffer.from(JSON.stringify(completion));
  const length = { 'Content-Type': 'application/json', 'Content-Length': `${body.length}` };
  recorded.reaction = isCut ? '200 with half of the completion' : '200';
  response.writeHead(200, { ...length, ...headers });
  if (isCut) {
    await new Promise<void>((resolve) => response.write(body.subarray(0, body.length / 2), () => resolve()));
    response.destroy();
    return;
  }
  await deliver(wire, body);
}

/** A completion of the contract (§2.6, §2.7). */
function completionFor(id: string, path: string, { clock }: Port): Completion {
  const created = Math.floor(clock().getTime() / 1000);
  const common = { id, created, model };
  const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
  const choice = { index: 0, finish_reason: 'stop' };
  return path.includes('chat')
    ? {
        ...common,
        object: 'chat.completion',
        choices: [{ ...choice, message: { role: 'assistant', content: text } }],
        usage,
      }
    : { ...common, object: 'text_completion', choices: [{ ...choice, text }], usage };
}
