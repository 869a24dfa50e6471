import { isAboutFunds, replying } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { type Json, readPayment, withJson } from '../wire-edits.ts';

const badSignature = { message: 'No.', type: 'authentication_error', code: 'invalid_signature' };

const isLower = (hex: unknown) => String(hex) === String(hex).toLowerCase();
const isUpper = (hex: unknown) => /^0x(?=.*[A-F])[0-9A-F]+$/.test(String(hex));

/** Mutants that verify a signature over the letters of a hex value instead of its bytes (contract 4.4). */
const lettered: readonly (readonly [
  id: string,
  what: string,
  isOther: (authorization: Json, signature: unknown) => boolean,
])[] = [
  ['lower-case-payer', 'whose payer address is in lower case', ({ from }) => isLower(from)],
  ['upper-case-recipient', 'whose recipient address is in upper case', ({ to }) => isUpper(to)],
  ['upper-case-nonce', 'whose nonce is in upper case', ({ nonce }) => isUpper(nonce)],
  ['upper-case-signature', 'whose signature is in upper case', (_, signature) => isUpper(signature)],
];

export const letterCaseMutants: readonly Mutant[] = lettered.map(([id, what, isOther]) =>
  responds(
    `${id}-as-401`,
    `returns 401 instead of insufficient_funds for a payment ${what}`,
    ['signature.letter-case'],
    replying((reply) => withJson({ ...reply, status: 401 }, { error: badSignature }), {
      when: (asked, reply) => {
        const payment = readPayment(asked);
        return isAboutFunds(asked, reply) && isOther(payment?.authorization ?? {}, payment?.signature);
      },
    }),
  ),
);
