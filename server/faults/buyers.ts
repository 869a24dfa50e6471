import { setTimeout as after } from 'node:timers/promises';
import { headerNames } from '@paid-inference/contract/constants';
import { decodeInferenceProof, decodePaymentReceipt } from '@paid-inference/contract/headers';
import type {
  InferenceProof,
  PaymentAuthorization,
  PaymentReceipt,
  PaymentRequirements,
} from '@paid-inference/contract/types';
import type { FundedPayer } from '../devnet/devnet.ts';
import { decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { systemClock } from '../types/clock.ts';
import { assembleStream, readStreamProof } from './streamed-body.ts';

/** The result of sending a payment once. */
export type Seen =
  /** No response: the connection broke, the deadline passed, or the buyer left. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'response';
      readonly status: number;
      /** `error.code`, or the reason of an offer; null for a completion. */
      readonly code: string | null;
      readonly body: string;
      readonly receipt: PaymentReceipt | null;
      /** The proof of `X-INFERENCE-PROOF`, for a completion. */
      readonly proof: InferenceProof | null;
      readonly isReplayed: boolean;
    };

/** A signed payment for one request, and all results that its buyer got. */
export type Payment = {
  /** Unique prompt of the model. It identifies the payment of an inference in the upstream. */
  readonly prompt: string;
  readonly payer: string;
  nonce: string;
  /** The nonces of authorizations that the buyer signed before for the same purchase. */
  readonly earlierNonces: string[];
  readonly value: bigint;
  readonly body: object;
  headers: Readonly<Record<string, string>>;
  readonly seen: Seen[];
  /** Signs a new authorization for each attempt, as x402 wrappers do. */
  readonly signAgain?: () => Promise<void>;
  /** The buyer left for good and sends nothing more. */
  isGivenUp: boolean;
  /** The store may not count the transfer: a third party sent it, or an older copy of the store was restored. */
  mayBeSentElsewhere: boolean;
};

export type SignOptions = {
  readonly payer?: FundedPayer;
  readonly change?: Partial<PaymentAuthorization>;
  readonly settlementType?: 'private' | 'individual' | 'batch';
  /** Lets the buyer sign again for each attempt. */
  readonly signsAgain?: boolean;
  readonly isStreamed?: boolean;
};

export type SendOptions = {
  /** Aborts when the buyer leaves. */
  readonly leaves?: AbortSignal;
  /** Called after status and headers, before the body is read. */
  readonly onHeaders?: (response: Response) => Promise<void>;
};

/** Clients that follow the contract, but retry earlier than `Retry-After` says. */
export type Buyers = {
  readonly payments: readonly Payment[];
  sign(options?: SignOptions): Promise<Payment>;
  signMany(count: number, options?: SignOptions): Promise<readonly Payment[]>;
  send(url: string, payment: Payment, options?: SendOptions): Promise<Seen>;
  /** Sends the same payment until its result is final. Null when the time is over. */
  payUntilAnswered(url: () => string, payment: Payment, withinMs: number): Promise<Seen | null>;
};

const responseDeadlineMs = 30_000;
const patienceMs = 150;

export function hasSigned({ nonce, earlierNonces }: Payment, one: string): boolean {
  return nonce === one || earlierNonces.includes(one);
}

/** Statuses that the contract retries with the same payment. */
const again: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export function isFinal(seen: Seen | undefined): boolean {
  return seen?.kind === 'response' && !again.has(seen.status);
}

export function readStatus(seen: Seen): number | null {
  return seen.kind === 'response' ? seen.status : null;
}

/** The completion that a buyer got; null without one. */
export function boughtBy({ seen }: Payment): Extract<Seen, { kind: 'response' }> | null {
  for (const each of seen) if (each.kind === 'response' && each.status === 200) return each;
  return null;
}

export function createBuyers(model: string, payer: FundedPayer, anyUrl: () => string): Buyers {
  const payments: Payment[] = [];
  let offer: Promise<PaymentRequirements> | null = null;
  return { payments, sign, signMany, send, payUntilAnswered };

  async function sign({
    payer: by = payer,
    change,
    settlementType,
    signsAgain = false,
    isStreamed = false,
  }: SignOptions = {}): Promise<Payment> {
    const prompt = `prompt ${payments.length + 1}`;
    const delivery = isStreamed && { stream: true, stream_options: { include_usage: true } };
    const body = { model, messages: [{ role: 'user', content: prompt }], max_tokens: 16, ...delivery };
    const entry = { prompt, payer: by.address, body, seen: [], isGivenUp: false, mayBeSentElsewhere: false };
    const place = payments.push({ ...entry, nonce: '', earlierNonces: [], value: 0n, headers: {} }) - 1;
    // All bodies have one price, so the offer of the first request is valid for all.
    offer ??= post(anyUrl(), body).then(decodeOffer);
    const requirements = await offer;
    const authorize = async () => {
      const headers = await paymentFor(requirements, by.privateKey, change);
      const text = Buffer.from(headers[headerNames.payment] ?? '', 'base64').toString();
      const { authorization } = JSON.parse(text).payload as { readonly authorization: PaymentAuthorization };
      return {
        nonce: authorization.nonce.toLowerCase(),
        value: BigInt(authorization.value),
        headers: { ...headers, ...(settlementType && { [headerNames.settlementType]: settlementType }) },
      };
    };
    const payment: Payment = { ...entry, earlierNonces: [], ...(await authorize()) };
    const signAgain = async () => {
      payment.earlierNonces.push(payment.nonce);
      Object.assign(payment, await authorize());
    };
    if (signsAgain) Object.assign(payment, { signAgain });
    payments[place] = payment;
    return payment;
  }

  async function signMany(count: number, options: SignOptions = {}): Promise<readonly Payment[]> {
    const signed: Payment[] = [];
    for (let each = 0; each < count; each++) signed.push(await sign(options));
    return signed;
  }

  async function send(url: string, payment: Payment, options: SendOptions = {}): Promise<Seen> {
    const seen = await exchange(url, payment, options).catch((): Seen => ({ kind: 'lost' }));
    payment.seen.push(seen);
    return seen;
  }

  async function payUntilAnswered(
    url: () => string,
    payment: Payment,
    withinMs: number,
  ): Promise<Seen | null> {
    const deadline = systemClock.monotonicMs() + withinMs;
    for (;;) {
      if (payment.seen.length > 0) await payment.signAgain?.();
      const seen = await send(url(), payment);
      if (isFinal(seen)) return seen;
      if (systemClock.monotonicMs() > deadline) return null;
      await after(patienceMs);
    }
  }
}

async function exchange(
  url: string,
  { body, headers }: Payment,
  { leaves, onHeaders }: SendOptions,
): Promise<Seen> {
  const deadline = AbortSignal.timeout(responseDeadlineMs);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: leaves ? AbortSignal.any([leaves, deadline]) : deadline,
  });
  await onHeaders?.(response);
  const sent = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? assembleStream(sent) : sent;
  const receipt = decodePaymentReceipt(response.headers.get(headerNames.paymentResponse) ?? '');
  const proof = decodeInferenceProof(
    response.headers.get(headerNames.inferenceProof) ?? (isStream ? readStreamProof(sent) : ''),
  );
  return {
    kind: 'response',
    status: response.status,
    code: response.status === 200 ? null : readCode(text),
    body: text,
    receipt: receipt.ok ? receipt.value : null,
    proof: proof.ok ? proof.value : null,
    isReplayed: response.headers.get('Idempotent-Replayed') === 'true',
  };
}

function readCode(text: string): string {
  const { error } = JSON.parse(text) as { readonly error: string | { readonly code: string } };
  return typeof error === 'string' ? error : error.code;
}

/** Describes the results of all buyers. Equal histories appear once, with their number. */
export function describeHistories(payments: readonly Payment[]): string {
  const stories = new Map<string, number>();
  for (const { seen } of payments) {
    const story = describeHistory(seen.map(describeEnd));
    stories.set(story, (stories.get(story) ?? 0) + 1);
  }
  return [...stories].map(([story, count]) => `${count} × ${story}`).join('; ');
}

/** Describes one history: in order for a single buyer, counted for a crowd with one payment. */
function describeHistory(words: readonly string[]): string {
  if (words.length <= crowdMin)
    return words.filter((word, place) => word !== words[place - 1]).join(', then ') || 'nothing';
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return `(${[...counts].map(([word, count]) => `${count} × ${word}`).join(', ')})`;
}

const crowdMin = 99;

function describeEnd(seen: Seen): string {
  if (seen.kind === 'lost') return 'no response';
  if (seen.status === 200) return seen.isReplayed ? '200 replayed' : '200';
  return `${seen.status} ${seen.code}`;
}
