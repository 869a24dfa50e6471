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
import { offerOf, paymentFor, post } from '../testing/payer.ts';
import { systemClock } from '../types/clock.ts';

/** What came back on one sending of a payment. */
export type Seen =
  /** No answer: the connection broke, or nothing came in time, or the buyer left. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** `error.code`, or the reason of an offer; null with a completion. */
      readonly code: string | null;
      readonly body: string;
      readonly receipt: PaymentReceipt | null;
      /** With a completion, as it stands in `X-INFERENCE-PROOF`. */
      readonly proof: InferenceProof | null;
      readonly isReplayed: boolean;
    };

/** A signed payment for one request, and everything that its buyer saw. */
export type Payment = {
  /** Unique among all, and the model's prompt: tells in the upstream whose inference it was. */
  readonly prompt: string;
  readonly payer: string;
  readonly nonce: string;
  readonly value: bigint;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly seen: Seen[];
  /** The buyer went away for good and asks no more. */
  isGivenUp: boolean;
  /** Somebody else than a gateway of this store may send it to the chain. */
  mayBeSentElsewhere: boolean;
};

export type SignOptions = {
  readonly payer?: FundedPayer;
  readonly change?: Partial<PaymentAuthorization>;
  readonly settlementType?: 'private' | 'individual' | 'batch';
};

export type SendOptions = {
  /** The buyer leaves. */
  readonly leaves?: AbortSignal;
  /** Called when status and headers are there and the body is not read. */
  readonly onHeaders?: () => Promise<void>;
};

/** Clients that keep to the contract, except that they are less patient than `Retry-After` asks for. */
export type Buyers = {
  readonly payments: readonly Payment[];
  sign(options?: SignOptions): Promise<Payment>;
  signMany(count: number, options?: SignOptions): Promise<readonly Payment[]>;
  send(url: string, payment: Payment, options?: SendOptions): Promise<Seen>;
  /** Sends the same payment until there is a final word, or the time is over. */
  payUntilAnswered(url: () => string, payment: Payment, withinMs: number): Promise<Seen | null>;
};

const answerDeadlineMs = 30_000;
const patienceMs = 150;

/** Statuses after which the contract has the same payment sent again. */
const again: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export function isFinal(seen: Seen | undefined): boolean {
  return seen?.kind === 'answer' && !again.has(seen.status);
}

export function statusOf(seen: Seen): number | null {
  return seen.kind === 'answer' ? seen.status : null;
}

/** The answer that a buyer holds in the end. */
export function boughtBy({ seen }: Payment): Extract<Seen, { kind: 'answer' }> | null {
  for (const each of seen) if (each.kind === 'answer' && each.status === 200) return each;
  return null;
}

export function createBuyers(model: string, payer: FundedPayer, anyUrl: () => string): Buyers {
  const payments: Payment[] = [];
  let offer: Promise<PaymentRequirements> | null = null;
  return { payments, sign, signMany, send, payUntilAnswered };

  async function sign({ payer: by = payer, change, settlementType }: SignOptions = {}): Promise<Payment> {
    const prompt = `prompt ${payments.length + 1}`;
    const body = { model, messages: [{ role: 'user', content: prompt }], max_tokens: 16 };
    const entry = { prompt, payer: by.address, body, seen: [], isGivenUp: false, mayBeSentElsewhere: false };
    const place = payments.push({ ...entry, nonce: '', value: 0n, headers: {} }) - 1;
    // One price for every body: the offer of the first request is the offer of all.
    offer ??= post(anyUrl(), body).then(offerOf);
    const headers = await paymentFor(await offer, by.privateKey, change);
    const { authorization } = JSON.parse(Buffer.from(headers[headerNames.payment] ?? '', 'base64').toString())
      .payload as { readonly authorization: PaymentAuthorization };
    const payment: Payment = {
      ...entry,
      nonce: authorization.nonce.toLowerCase(),
      value: BigInt(authorization.value),
      headers: { ...headers, ...(settlementType && { [headerNames.settlementType]: settlementType }) },
    };
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
  const deadline = AbortSignal.timeout(answerDeadlineMs);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: leaves ? AbortSignal.any([leaves, deadline]) : deadline,
  });
  await onHeaders?.();
  const text = await response.text();
  const receipt = decodePaymentReceipt(response.headers.get(headerNames.paymentResponse) ?? '');
  const proof = decodeInferenceProof(response.headers.get(headerNames.inferenceProof) ?? '');
  return {
    kind: 'answer',
    status: response.status,
    code: response.status === 200 ? null : codeOf(text),
    body: text,
    receipt: receipt.ok ? receipt.value : null,
    proof: proof.ok ? proof.value : null,
    isReplayed: response.headers.get('Idempotent-Replayed') === 'true',
  };
}

function codeOf(text: string): string {
  const { error } = JSON.parse(text) as { readonly error: string | { readonly code: string } };
  return typeof error === 'string' ? error : error.code;
}

/** What the buyers saw, in words: alike stories once, with their number. */
export function storiesOf(payments: readonly Payment[]): string {
  const stories = new Map<string, number>();
  for (const { seen } of payments) {
    const story = storyOf(seen.map(describeEnd));
    stories.set(story, (stories.get(story) ?? 0) + 1);
  }
  return [...stories].map(([story, count]) => `${count} × ${story}`).join('; ');
}

/** In order where one buyer asked; counted where a crowd asked with one payment. */
function storyOf(words: readonly string[]): string {
  if (words.length <= crowdMin)
    return words.filter((word, place) => word !== words[place - 1]).join(', then ') || 'nothing';
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return `(${[...counts].map(([word, count]) => `${count} × ${word}`).join(', ')})`;
}

const crowdMin = 99;

function describeEnd(seen: Seen): string {
  if (seen.kind === 'lost') return 'no answer';
  if (seen.status === 200) return seen.isReplayed ? '200 replayed' : '200';
  return `${seen.status} ${seen.code}`;
}
