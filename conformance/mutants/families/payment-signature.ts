import { type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, findEndpoint, isObject, isPaid, objectIn, readPayment } from '../wire-edits.ts';

/** What a gateway finds in `PAYMENT-SIGNATURE`. */
type Found = {
  readonly isInVersion2: boolean;
  readonly isSigned: boolean;
  readonly isFunded: boolean;
  readonly isAsOffered: boolean;
};

const skipping: readonly (readonly [
  id: string,
  does: string,
  isAccepted: (found: Found) => boolean,
  endpoint?: Endpoint,
])[] = [
  ['balance', 'checks no balance', ({ isSigned, isAsOffered }) => isSigned && isAsOffered],
  [
    'balance-for-text',
    'checks no balance (completions)',
    ({ isSigned, isAsOffered }) => isSigned && isAsOffered,
    'completions',
  ],
  [
    'balance-in-version-2',
    'checks no balance in the form of x402 v2',
    ({ isInVersion2, isSigned, isAsOffered }) => isInVersion2 && isSigned && isAsOffered,
  ],
  [
    'balance-in-the-usual-form',
    'checks no balance in the form of the contract',
    ({ isInVersion2, isSigned, isAsOffered }) => !isInVersion2 && isSigned && isAsOffered,
  ],
  ['signature', 'checks no signature', ({ isFunded, isAsOffered }) => isFunded && isAsOffered],
  ['signature-and-balance', 'checks the terms alone', ({ isAsOffered }) => isAsOffered],
  // A balance of 0 suffices for a payment of 0.
  ['terms', 'checks no terms', ({ isSigned, isAsOffered }) => isSigned && !isAsOffered],
];

/** Mutants that also take payments in the header of x402 v2, and leave out a part of the checks (contract 3, D-354). */
export const paymentSignatureMutants: readonly Mutant[] = skipping.map(([id, does, isAccepted, endpoint]) =>
  reads(
    `payment-signature-without-${id}`,
    `takes a payment in PAYMENT-SIGNATURE, for which it ${does}`,
    ['payment.malformed', 'unpaid.never-200'],
    async (asked, forge) => {
      const { 'payment-signature': payment, ...rest } = asked.headers;
      const isAt = endpoint === undefined || findEndpoint(asked) === endpoint;
      if (isPaid(asked) || payment === undefined || !isAt) return asked;
      const moved = { ...asked, headers: { ...rest, 'x-payment': payment } };
      const found = await read(moved, forge);
      return found && isAccepted(found) ? forge.paidBy('payer', moved) : asked;
    },
  ),
);

async function read(
  asked: Parameters<typeof readPayment>[0],
  forge: PaymentForge,
): Promise<Found | undefined> {
  const { authorization } = readPayment(asked) ?? {};
  if (!authorization || !findEndpoint(asked)) return undefined;
  const offered = readPayment(await forge.paidBy('payer', asked))?.authorization;
  const payer = String(authorization['from']).toLowerCase();
  return {
    isInVersion2: isObject(objectIn(asked.headers['x-payment'])?.['accepted']),
    isSigned: (await forge.recoverSigner(asked)) === payer,
    isFunded: payer === forge.payer,
    isAsOffered:
      offered?.['value'] === authorization['value'] &&
      offered?.['to'] === String(authorization['to']).toLowerCase(),
  };
}
