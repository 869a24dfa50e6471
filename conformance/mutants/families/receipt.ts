import type { RequirementId } from '@paid-inference/contract/requirements';
import { receipting, replying } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { absent, type Json, withMember, withoutHeader } from '../wire-edits.ts';

const name = 'X-PAYMENT-RESPONSE';
const nobody = `0x${'00'.repeat(20)}`;

/** Values that a field of the receipt must not have (contract 2.11), each with a word for the id of its mutant. */
const wrong: readonly (readonly [RequirementId, keyof typeof words, Readonly<Record<string, unknown>>])[] = [
  ['receipt.success', 'success', { missing: absent, string: 'true', false: false }],
  ['receipt.network', 'network', { missing: absent, 'by-name': 'base-sepolia' }],
  ['receipt.chainId', 'chainId', { missing: absent, string: '84532', other: 1 }],
  ['receipt.txHash', 'txHash', { missing: absent, short: '0x2a', null: null }],
  ['receipt.payer', 'payer', { missing: absent, nobody }],
];
const words = { success: '', network: '', chainId: '', txHash: '', payer: '' };

const fields = wrong.flatMap(([requirement, path, values]) =>
  Object.entries(values).flatMap(([word, value]) => {
    const does =
      value === absent
        ? `leaves \`${path}\` out of its receipts`
        : `writes \`${path}\` ${JSON.stringify(value)} into its receipts`;
    const change = (receipt: Json) => withMember(receipt, path, value);
    return answers(
      `receipt-${path}-${word}`,
      `${does} of chats`,
      [requirement],
      receipting(change, { endpoint: 'chat' }),
    );
  }),
);

/** The receipt (contract 2.11, 4.1, 4.4). */
export const receiptMutants: readonly Mutant[] = [
  ...fields,
  {
    id: 'receipt-of-the-first-payment',
    does: 'names the transaction of its first payment in all receipts',
    place: 'answer',
    kills: ['served.receipt'],
    edge: () => {
      let first: unknown;
      return {
        answer: receipting((receipt) => {
          first ??= receipt['txHash'];
          return { ...receipt, txHash: first };
        }),
      };
    },
  },
  {
    id: 'receipt-of-the-last-payment',
    does: 'names the transaction of the payment before in each receipt, save in the first',
    place: 'answer',
    kills: ['served.receipt'],
    edge: () => {
      let last: unknown;
      return {
        answer: receipting((receipt) => {
          const txHash = last ?? receipt['txHash'];
          last = receipt['txHash'];
          return { ...receipt, txHash };
        }),
      };
    },
  },
  answers(
    'receipt-missing',
    'gives no receipt for a chat',
    ['receipt.header-present'],
    replying((reply) => withoutHeader(reply, name), { endpoint: 'chat' }),
  ),
  answers(
    'receipt-missing-everywhere',
    'gives no receipts',
    ['receipt.header-present', 'receipt.completions'],
    replying((reply) => withoutHeader(reply, name)),
  ),
  answers(
    'receipt-missing-on-completions',
    'gives no receipt for a text completion',
    ['receipt.completions'],
    replying((reply) => withoutHeader(reply, name), { endpoint: 'completions' }),
  ),
  answers(
    'receipt-in-raw-json',
    'puts the JSON of a receipt into its header without base64',
    ['receipt.header-base64'],
    receipting((receipt) => JSON.stringify(receipt), { endpoint: 'chat' }),
  ),
  answers(
    'receipt-in-an-array',
    'writes a receipt as an array of one',
    ['receipt.header-base64'],
    receipting((receipt) => [receipt], { endpoint: 'chat' }),
  ),
  answers(
    'receipt-in-raw-json-on-completions',
    'puts the JSON of a receipt for text into its header without base64',
    ['receipt.completions'],
    receipting((receipt) => JSON.stringify(receipt), { endpoint: 'completions' }),
  ),
  answers(
    'receipt-of-completions-without-payer',
    'leaves `payer` out of receipts for text',
    ['receipt.completions'],
    receipting((receipt) => withMember(receipt, 'payer', absent), { endpoint: 'completions' }),
  ),
  answers(
    'receipt-of-another-chain-everywhere',
    'writes another chain into all its receipts',
    ['receipt.chainId', 'receipt.completions'],
    receipting((receipt) => ({ ...receipt, chainId: 8_453 })),
  ),
];
