import type { Edge } from '../edge.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { Reading } from '../payment-forge.ts';
import { findEndpoint, readPayment } from '../wire-edits.ts';
import { readPayer, taking, takingAll, takingUnsigned } from './signature.ts';

type IsSuch = (signature: string) => boolean;

/** Forms of signatures that a mutant accepts without recovering the signer. */
const forms: readonly (readonly [id: string, what: string, isSuch: IsSuch])[] = [
  ['zeros', 'a signature of 65 zero bytes', (signature) => /^0x0{130}$/.test(signature)],
  ['no-bytes', 'the signature `0x` without bytes', (signature) => signature === '0x'],
  ['short-signature', 'any signature of 64 bytes', (signature) => /^0x[0-9a-f]{128}$/i.test(signature)],
  ['bare-hex', 'any signature without `0x`', (signature) => /^[0-9a-f]{130}$/i.test(signature)],
  [
    'contract-form',
    'any signature with the suffix of ERC-6492',
    (signature) => /(6492){16}$/.test(signature),
  ],
  ['long', 'any signature of more than 200 bytes', (signature) => signature.length > 402],
  [
    'no-hex',
    'a signature with characters that are not hex digits',
    (signature) => /^0x.*[^0-9a-f]/i.test(signature),
  ],
];

/** The other `v` to try for each `v`. The suite sends 29 and 30 in the place of the wrong one. */
const otherV: Readonly<Record<string, string>> = { '1b': '1c', '1c': '1b', '1d': '1c', '1e': '1b' };

const withOtherV: Reading = {
  signature: (whole) => whole.slice(0, -2) + (otherV[whole.slice(-2)] ?? whole.slice(-2)),
};

function toText(signature: unknown): string {
  return typeof signature === 'string' ? signature : '';
}

/** Accepts a payment whose `from` signed it under the reading, if the signature has the given form. */
function takingForm(isSuch: IsSuch, reading: Reading): NonNullable<Edge['read']> {
  const take = taking(reading, 'chat');
  return (asked, forge) => (isSuch(toText(readPayment(asked)?.signature)) ? take(asked, forge) : asked);
}

/** Mutants that accept signatures of an invalid form (D-168). */
export const signatureFormMutants: readonly Mutant[] = [
  ...forms.map(([id, what, isSuch]) =>
    reads(
      `${id}-taken`,
      `accepts ${what}`,
      ['signature.malformed'],
      takingUnsigned('chat', (signature) => isSuch(toText(signature))),
    ),
  ),
  reads(
    'byte-after-signature-cut-off',
    'ignores all bytes of a signature after the first 65',
    ['signature.malformed'],
    takingForm((signature) => signature.length > 132, { signature: (whole) => whole.slice(0, 132) }),
  ),
  reads(
    'any-v-taken',
    'tries both possible signers when `v` is 29 or 30',
    ['signature.malformed'],
    takingForm((signature) => /1[de]$/.test(signature), withOtherV),
  ),
  reads(
    'zero-address-signs',
    'accepts the zero address as the signer when no signer is recovered',
    ['signature.malformed'],
    (asked, forge) => {
      const isZero = findEndpoint(asked) === 'chat' && /^0x0{40}$/.test(readPayer(readPayment(asked)));
      return isZero ? forge.paidBy('stranger', asked) : asked;
    },
  ),
  reads(
    'other-v-taken',
    'tries both possible signers for any `v` (chat)',
    ['signature.malformed'],
    taking(withOtherV, 'chat'),
  ),
  reads(
    'other-v-taken-for-text',
    'tries both possible signers for any `v` (completions)',
    ['signature.completions'],
    taking(withOtherV, 'completions'),
  ),
  reads(
    'charset-not-verified',
    'accepts any signature in a request that names the charset of its JSON',
    ['conditions.signature'],
    (asked, forge) => (/charset/.test(asked.headers['content-type'] ?? '') ? takingAll(asked, forge) : asked),
  ),
];
