import type { Level } from '@paid-inference/contract/requirements';
import type { Offer } from '../payment/offer.ts';
import type { Judgement } from '../types/verdict.ts';
import type { Played } from './recording.ts';
import type { Receipt } from './wire.ts';

/** A receipt instead of the honest one, given the one before; null for none. */
export type FalseReceipt = (honest: Receipt, before: Receipt | undefined) => Receipt | null;

/** How a gateway ends a request that has a payment. */
export type Ending =
  | {
      readonly kind: 'serve';
      readonly receipt?: FalseReceipt;
      /** Another id of the completion, as after a second run of the model. */
      readonly completionId?: string;
    }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly type: string;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A page in HTML, as a proxy sends it. With status 200, it has the receipt of the gateway behind the proxy. */
  | { readonly kind: 'page'; readonly status: number }
  /** A 402 with the next offer. */
  | { readonly kind: 'offer' }
  /** Closes the connection at once. */
  | { readonly kind: 'reset' }
  /** Sends nothing for some seconds, then closes the connection. */
  | { readonly kind: 'silence' }
  /** Sends status, headers and half of the completion, then closes the connection. */
  | { readonly kind: 'cut' }
  /** Breaks the stream of the completion. A request for no stream is served. */
  | { readonly kind: 'break-stream'; readonly breakage: Breakage }
  /** Sends the client to another origin. */
  | { readonly kind: 'redirect' };

/**
 * How a stream breaks: a cut before its first event or in its middle, an end without `[DONE]`, silence in its middle and
 * then a cut, or an error as event.
 */
export type Breakage = 'unstarted' | 'cut' | 'undone' | 'silence' | 'error';

/** What a gateway does with a request that has a payment: transfer the tokens or not, then end it. */
export type Act = { readonly settles: boolean; readonly ending: Ending };

export const serve: Act = { settles: true, ending: { kind: 'serve' } };

/** A gateway's behaviour during one purchase, or several, and the requirements that its recording shows. */
export type Scenario = {
  readonly id: string;
  /** What the gateway does: third person present, without a subject. */
  readonly gateway: string;
  /** The offer instead of the honest one, given the number of payments that the gateway has accepted. */
  readonly offer?: (honest: Offer, accepted: number) => Offer;
  /** The gateway serves requests without a payment. */
  readonly isFree?: true;
  /** The gateway sends requests without a payment to another origin, which asks for a payment too. */
  readonly redirectsUnpaid?: true;
  /** The gateway streams to a client that asks for a stream, and the command may ask. */
  readonly isStreamed?: true;
  /** One for each request with a payment, in order. Later ones settle and are served. */
  readonly acts?: readonly Act[];
  /** How often the command runs; once by default. */
  readonly purchases?: number;
  readonly requirements: readonly Requirement[];
};

/** A rule for clients, judged by the recording of one scenario. */
export type Requirement = {
  readonly id: string;
  readonly level: Exclude<Level, 'OBSERVED'>;
  /** The rule in one sentence. */
  readonly title: string;
  /** Where the rule comes from. */
  readonly source: string;
  readonly judge: (played: Played, reference: Reference) => Judgement;
};

/** A rule for clients, judged by all recordings of a run. */
export type WholeRequirement = Omit<Requirement, 'judge'> & {
  readonly judge: (all: readonly Played[]) => Judgement;
};

/** What the plain purchase showed. Without it, a client that never pays would pass every refusal. */
export type Reference = {
  /** Whether the client paid and got the completion. */
  readonly canBuy: boolean;
  /** Whether the command then ended with exit code 0. */
  readonly endsWithZero: boolean;
};
