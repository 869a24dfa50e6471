import { headerNames } from '@paid-inference/contract/constants';
import { encodePaymentObject } from '@paid-inference/contract/headers';
import type { PaymentObject } from '@paid-inference/contract/types';
import { type Load, load, postRequest } from '../measure/load.ts';
import { processCpuMs } from '../measure/processor.ts';
import type { Target } from '../measure/target.ts';
import { chat } from './gateway.ts';
import type { SignedPayload } from './payments.ts';

/** One or more processes that one client pays. */
export type Payee = {
  readonly name: string;
  readonly targets: readonly Target[];
  /** The header of a payment; by default the contract's. */
  readonly header?: (payload: SignedPayload) => Record<string, string>;
};

export type PaidLoad = {
  readonly atOnce: number;
  readonly payments: number;
  /** Ends the load before all payments are sent. */
  readonly seconds?: number;
};

/** A server stopped responding, or sent no completion. The message has its log. */
export class LoadFailed extends Error {
  readonly payee: string;

  constructor(payee: string, message: string, cause: unknown) {
    super(message, { cause });
    this.payee = payee;
  }
}

export type PaidFigures = Load & {
  /** Processor time of all targets for a payment. */
  readonly cpuMs: number;
};

/** A new process gets these payments before a measurement, so that its code is compiled. */
export const warmUp = { atOnce: 16, payments: 400, seconds: 2 } as const;

/** More payments a second than any target reached. A target that uses up its payments ends its load early. */
const perSecondMost = 1_200;

/** Pays for some seconds. */
export function loadFor(
  payee: Payee,
  sign: () => SignedPayload,
  { atOnce, seconds }: { readonly atOnce: number; readonly seconds: number },
): Promise<PaidFigures> {
  return loadPaid(payee, sign, { atOnce, payments: Math.ceil(perSecondMost * seconds), seconds });
}

/**
 * Signs the payments, which is the clients' work, and then sends them in chat requests. Throws `LoadFailed` after a
 * response without a completion, or without any response.
 */
export async function loadPaid(
  { name, targets, header = contractHeader }: Payee,
  sign: () => SignedPayload,
  { atOnce, payments, seconds = Number.POSITIVE_INFINITY }: PaidLoad,
): Promise<PaidFigures> {
  const urls = targets.map(({ url }) => `${url}${chat.path}`);
  const requests = Array.from({ length: payments }, () =>
    postRequest(urls[0] ?? '', chat.body, header(sign())),
  );
  const before = readCpuMs(targets);
  const next = () => requests.pop() ?? null;
  const figures = await load({ urls, atOnce, seconds, next, status: 200 }).catch((cause: unknown) => {
    const logs = targets.map((target) => target.readLog()).join('\n');
    throw new LoadFailed(name, `${name}, ${atOnce} at once, failed. Its log:\n${logs}`, cause);
  });
  return { ...figures, cpuMs: (readCpuMs(targets) - before) / figures.requests };
}

/** The payment of a request, in the contract's format. */
export function contractHeader(payload: SignedPayload): Record<string, string> {
  return {
    [headerNames.payment]: encodePaymentObject({ payload } as unknown as PaymentObject),
    // All requests are equal, so without a key they would join each other (D-258).
    [headerNames.idempotencyKey]: payload.authorization.nonce,
  };
}

function readCpuMs(targets: readonly Target[]): number {
  return targets.reduce((sum, { pid }) => sum + (processCpuMs(pid) ?? Number.NaN), 0);
}
