import { headerNames } from '@paid-inference/contract/constants';
import type { Clock } from '../clock.ts';
import { presentationsMax, retryWaitMsFirst, retryWaitMsMax } from '../limits.ts';
import type { SignedPayment } from './authorization.ts';
import { hasJson, type PaymentOutcome, passes, releases, retryAfterSeconds } from './outcome.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { readReceipt } from './receipt.ts';
import type { Fetch, Lost, ReceivedResponse, Sending } from './send.ts';
import { send } from './send.ts';
import type { Step } from './step.ts';

export type PresentPorts = {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onStep: (step: Step) => void;
};

/** The result of sending a payment. */
export type Presented = {
  readonly last:
    | { readonly ok: true; readonly received: ReceivedResponse }
    | { readonly ok: false; readonly lost: Lost };
  readonly outcome: PaymentOutcome;
  readonly replayed: boolean;
  /** The reason why a 2xx response proves no payment. */
  readonly receiptFault: string | null;
  /** Whether an equal request sends the same payment again, because there is neither a completion nor a refusal. */
  readonly open: boolean;
};

/**
 * Sends one authorization, and sends the same one again after a lost response or a transient error: at most
 * `presentationsMax` times and never after its `validBefore` (D-24). Signs nothing, because a second
 * authorization would be a second purchase.
 */
export async function present(
  ports: PresentPorts,
  request: OutgoingRequest,
  payment: SignedPayment,
  before: 'unsent' | 'maybe-charged',
): Promise<Presented> {
  const { authorization, header } = payment;
  let outcome: PaymentOutcome = before === 'unsent' ? { state: 'unsent' } : { state: before, authorization };
  for (let attempt = 1; ; attempt++) {
    ports.onStep({ step: 'presented', attempt, nonce: authorization.nonce });
    const last = await send(ports.fetch, request, header, ports.timeoutMs);
    if (last.ok) ports.onStep({ step: 'responded', status: last.received.response.status });
    const verdict = judge(last, payment, outcome);
    outcome = verdict.outcome;
    if (outcome.state === 'settled') {
      ports.onStep({ step: 'receipt', receipt: outcome.receipt, replayed: verdict.replayed });
    }
    if (verdict.receiptFault !== null) {
      ports.onStep({ step: 'receipt-fault', message: verdict.receiptFault });
    }
    const waitMs = waitBeforeNext(last, attempt);
    const nextSeconds = ports.clock.nowSeconds() + Math.ceil(waitMs / 1000);
    const isTransient = !last.ok || passes(last.received);
    const again = isTransient && attempt < presentationsMax && nextSeconds < authorization.validBefore;
    if (!again || request.signal.aborted) return { ...verdict, last };
    ports.onStep({ step: 'waiting', waitMs, because: describeReason(last) });
    await ports.clock.waitMs(waitMs, request.signal);
  }
}

/**
 * Updates the outcome. An unknown outcome stays unknown until a receipt, because a proxy may send a later
 * error.
 */
function judge(last: Sending, payment: SignedPayment, before: PaymentOutcome): Omit<Presented, 'last'> {
  const { authorization } = payment;
  const unknown: PaymentOutcome = { state: 'maybe-charged', authorization };
  const neither = { replayed: false, receiptFault: null };
  if (!last.ok) return { ...neither, outcome: last.lost.left ? unknown : before, open: true };
  const { received } = last;
  if (received.response.ok) {
    const read = readReceipt(received.response.headers, authorization);
    // The page of a proxy is no completion.
    const open = received.events === null && !hasJson(received);
    if (!read.ok) return { outcome: unknown, replayed: false, receiptFault: read.message, open };
    const replayed = received.response.headers.get(headerNames.idempotentReplayed) === 'true';
    return {
      outcome: { state: 'settled', authorization, receipt: read.receipt },
      replayed,
      receiptFault: null,
      open,
    };
  }
  const released = releases(received) && before.state !== 'maybe-charged';
  const outcome: PaymentOutcome = released ? { state: 'released', authorization } : unknown;
  return { ...neither, outcome, open: !released || passes(received) };
}

function waitBeforeNext(last: Sending, attempt: number): number {
  const asked = last.ok ? retryAfterSeconds(last.received) : null;
  const waitMs = asked === null ? retryWaitMsFirst * 2 ** (attempt - 1) : asked * 1000;
  return Math.min(waitMs, retryWaitMsMax);
}

function describeReason(last: Sending): string {
  if (!last.ok) return last.lost.message;
  return last.received.error?.code ?? String(last.received.response.status);
}
