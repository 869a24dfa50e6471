import { broken, holds, type Judgement, notApplicable, unknown } from '../types/verdict.ts';
import {
  countAccepted,
  countDelivered,
  isOverdue,
  listSigned,
  type Played,
  type Signed,
} from './recording.ts';
import type { Reference } from './scenario.ts';

const overdue = unknown('the command did not end before its deadline');
const unrequested = unknown('the command sent no request for a completion');
const cannotBuy = unknown('the client did not buy in the plain purchase either');
const unpaid = unknown('the client sent no valid payment, so the situation did not arise');

/** Payments and completions in words. */
function say(played: Played): string {
  return `payments: ${played.settled.size}, completions: ${countDelivered(played)}`;
}

/** One payment for each purchase, with a completion for it. */
export function buys(played: Played): Judgement {
  const wanted = `payments: ${played.purchases}, completions: ${played.purchases}`;
  if (!isRequested(played)) return unrequested;
  const isBought = played.settled.size === played.purchases && countDelivered(played) >= played.purchases;
  if (isBought) return isOverdue(played) ? overdue : holds(say(played));
  return isOverdue(played) && played.settled.size < played.purchases ? overdue : broken(wanted, say(played));
}

/** No more than one payment for each purchase, although the gateway failed or lied. */
export function paysOnce(played: Played): Judgement {
  const wanted = played.purchases === 1 ? 'one payment' : `payments: ${played.purchases}`;
  if (played.settled.size > played.purchases) return broken(wanted, say(played));
  if (countAccepted(played) === 0) return isRequested(played) ? unpaid : unrequested;
  return isOverdue(played) ? overdue : holds(say(played));
}

/** The completion of the payment, in the end. */
export function recovers(played: Played): Judgement {
  if (countAccepted(played) === 0) return isRequested(played) ? unpaid : unrequested;
  if (countDelivered(played) > 0) return holds(say(played));
  return isOverdue(played) ? overdue : broken('a completion for the payment', say(played));
}

const unstreamed = notApplicable('the command asked for no stream');

/** A rule for streams, which does not arise for a command that asks for none. */
export function whenStreamed(judge: (played: Played, reference: Reference) => Judgement) {
  return (played: Played, reference: Reference): Judgement => {
    const isWhole = isRequested(played) && !isOverdue(played);
    return isWhole && !played.requests.some((each) => each.asksForStream)
      ? unstreamed
      : judge(played, reference);
  };
}

type Refusal = {
  /** The payments that the client should not have signed; all by default. */
  readonly isWrong?: (signed: Signed) => boolean;
  /** The gateway's lie follows the first payment. */
  readonly isLate?: boolean;
};

/**
 * No payment, or none of a kind. A client that buys nothing at all would pass, so the plain purchase must have
 * succeeded.
 */
export function refuses(expected: string, { isWrong = () => true, isLate = false }: Refusal = {}) {
  return (played: Played, { canBuy }: Reference): Judgement => {
    const wrong = listSigned(played).filter(isWrong);
    const [first] = wrong;
    if (first !== undefined) {
      const { to, value } = first.payment.authorization;
      return broken(expected, `a signature over ${value} units to ${to}`);
    }
    if (!isLate && played.requests.some(({ payment }) => payment === 'unreadable')) {
      return broken(expected, 'a payment of another kind');
    }
    if (!isRequested(played)) return unrequested;
    if (!canBuy) return cannotBuy;
    if (isLate && countAccepted(played) === 0) return unpaid;
    return isOverdue(played) ? overdue : holds();
  };
}

/** No payment at the other origin. The client is sent there with its payment (`isLate`), or before it. */
export function staysHere({ isLate = false }: Pick<Refusal, 'isLate'> = {}) {
  return (played: Played, { canBuy }: Reference): Judgement => {
    const strays = played.requests.filter((each) => each.isElsewhere && each.payment !== undefined);
    if (strays.length > 0) return broken('no payment at another origin', `${strays.length} with a payment`);
    if (!isRequested(played)) return unrequested;
    if (isLate && countAccepted(played) === 0) return unpaid;
    if (!canBuy) return cannotBuy;
    return isOverdue(played) ? overdue : holds();
  };
}

/** The command reports that something is wrong: it ends with another exit code than 0. */
export function notices(played: Played, { endsWithZero }: Reference): Judgement {
  const nonces = new Set(listSigned(played).map(({ payment }) => payment.authorization.nonce));
  // The receipt of an earlier purchase is true for a payment with the same nonce.
  if (Math.min(countAccepted(played), nonces.size) < played.purchases)
    return isRequested(played) ? unpaid : unrequested;
  if (isOverdue(played)) return overdue;
  if (!endsWithZero)
    return unknown('the command did not end with exit code 0 after the plain purchase either');
  const isSilent = played.ends.every(({ exitCode }) => exitCode === 0);
  return isSilent ? broken('another exit code than 0', 'exit code 0') : holds();
}

function isRequested({ requests }: Played): boolean {
  return requests.some(({ method }) => method === 'POST');
}
