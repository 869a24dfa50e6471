import type { Edge } from '../edge.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { Reading } from '../payment-forge.ts';
import { endpointOf, paymentOf } from '../wire-edits.ts';
import { fromOf, taking, takingUnsigned } from './signature.ts';

type IsSuch = (signature: string) => boolean;

/** Forms of signatures that are taken for good without a look at who signed. */
const forms: readonly (readonly [id: string, what: string, isSuch: IsSuch])[] = [
  ['zeros', 'a signature of zeros', (signature) => /^0x0{130}$/.test(signature)],
  ['no-bytes', 'a signature of no bytes', (signature) => signature === '0x'],
  ['short-signature', 'any 64 bytes', (signature) => /^0x[0-9a-f]{128}$/i.test(signature)],
  ['bare-hex', 'any signature without `0x`', (signature) => /^[0-9a-f]{130}$/i.test(signature)],
  ['contract-form', 'any signature in the form of ERC-6492', (signature) => /(6492){16}$/.test(signature)],
  ['long', 'any signature of more than 200 bytes', (signature) => signature.length > 402],
  ['no-hex', 'a signature that is no hex', (signature) => /^0x.*[^0-9a-f]/i.test(signature)],
];

/** What is tried for each `v` besides; the suite sends 29 and 30 where they do not stand for the right one. */
const otherV: Readonly<Record<string, string>> = { '1b': '1c', '1c': '1b', '1d': '1c', '1e': '1b' };

const withOtherV: Reading = {
  signature: (whole) => whole.slice(0, -2) + (otherV[whole.slice(-2)] ?? whole.slice(-2)),
};

function textOf(signature: unknown): string {
  return typeof signature === 'string' ? signature : '';
}

/** Takes what is signed by its `from` when it is read so, where the signature has such a form. */
function takingForm(isSuch: IsSuch, reading: Reading): NonNullable<Edge['read']> {
  const take = taking(reading, 'chat');
  return (asked, forge) => (isSuch(textOf(paymentOf(asked)?.signature)) ? take(asked, forge) : asked);
}

/** Signatures of no form that a signature has, taken for good (D-168). */
export const signatureFormMutants: readonly Mutant[] = [
  ...forms.map(([id, what, isSuch]) =>
    reads(
      `${id}-taken`,
      `takes ${what} for a good one`,
      ['signature.malformed'],
      takingUnsigned('chat', (signature) => isSuch(textOf(signature))),
    ),
  ),
  reads(
    'byte-after-signature-cut-off',
    'reads the first 65 bytes of a signature alone',
    ['signature.malformed'],
    takingForm((signature) => signature.length > 132, { signature: (whole) => whole.slice(0, 132) }),
  ),
  reads(
    'any-v-taken',
    'tries both signers where `v` is neither 27 nor 28',
    ['signature.malformed'],
    takingForm((signature) => /1[de]$/.test(signature), withOtherV),
  ),
  reads(
    'zero-address-signs',
    'takes the zero address for the signer where none is recovered',
    ['signature.malformed'],
    (asked, forge) => {
      const isZero = endpointOf(asked) === 'chat' && /^0x0{40}$/.test(fromOf(paymentOf(asked)));
      return isZero ? forge.paidBy('stranger', asked) : asked;
    },
  ),
  reads(
    'other-v-taken',
    'tries both signers of a chat whatever `v` is',
    ['signature.malformed'],
    taking(withOtherV, 'chat'),
  ),
  reads(
    'other-v-taken-for-text',
    'tries both signers of a text whatever `v` is',
    ['signature.completions'],
    taking(withOtherV, 'completions'),
  ),
];
