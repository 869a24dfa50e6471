import { parseBody } from '../conditions.ts';
import { replying } from '../edits.ts';
import type { Asked } from '../message.ts';
import { isBeyondBounds, pricing } from '../pricing.ts';
import { objectIn, readPayment, without } from '../wire-edits.ts';
import { refused } from './refusals.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** Refuses requests for something that the contract does not have or does not fix. */
function refusing(
  id: string,
  does: string,
  words: string,
  isRefused: (asked: Asked) => boolean,
): LegalVariant {
  return variant(id, does, words, {
    respond: replying((reply, asked) => (isRefused(asked) ? refused(reply, 400) : reply)),
  });
}

function hasCapitals(asked: Asked): boolean {
  return /^0x.*[A-F]/.test(readPayment(asked)?.signature ?? '');
}

/** Legal variants of further members, headers and forms of payments (D-420 to D-424). */
export const furtherVariants: readonly LegalVariant[] = [
  refusing(
    'verbosity-refused',
    'rejects `verbosity`',
    open.newVersions,
    (asked) => 'verbosity' in parseBody(asked),
  ),
  refusing(
    'top-k-of-paid-requests-refused',
    'rejects `top_k` only in a request with a payment',
    open.newVersions,
    (asked) => 'top_k' in parseBody(asked) && readPayment(asked) !== undefined,
  ),
  refusing(
    'via-refused',
    'rejects a request of a proxy',
    open.otherStatuses,
    ({ headers }) => 'via' in headers,
  ),
  refusing(
    'terms-in-payments-refused',
    'returns 400 for a payment with members beside `payload`',
    open.otherStatuses,
    ({ headers }) => Object.keys(objectIn(headers['x-payment']) ?? {}).some((name) => name !== 'payload'),
  ),
  refusing(
    'small-letters-of-signatures-demanded',
    'returns 400 for a signature in upper case',
    open.otherStatuses,
    hasCapitals,
  ),
  variant(
    'prices-without-bound',
    'offers an amount of 401 digits for a number of tokens with 401 digits',
    open.price,
    pricing((tokens) => (isBeyondBounds(tokens) ? `1${'0'.repeat(400)}` : undefined)),
  ),
  variant(
    'signatures-in-capitals-as-none',
    'ignores a payment with a signature in upper case',
    open.noValidPayment,
    {
      read: (asked) =>
        hasCapitals(asked) ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked,
    },
  ),
  variant(
    'long-windows-as-none',
    'ignores a payment whose window is longer than an hour',
    open.noValidPayment,
    {
      read: (asked) => {
        const { validAfter, validBefore } = readPayment(asked)?.authorization ?? {};
        return Number(validBefore) - Number(validAfter) > 3_600
          ? { ...asked, headers: without(asked.headers, 'x-payment') }
          : asked;
      },
    },
  ),
];
