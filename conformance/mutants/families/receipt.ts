import { setTimeout as delay } from 'node:timers/promises';
import type { RequirementId } from '@paid-inference/contract/requirements';
import { isAboutFunds, receipting, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import {
  absent,
  encoded,
  isPaid,
  type Json,
  readPayment,
  withHeader,
  withMember,
  withoutHeader,
} from '../wire-edits.ts';

const name = 'X-PAYMENT-RESPONSE';
const inferenceMs = 20;
const noPayer = `0x${'00'.repeat(20)}`;

/** Invalid values of each field of the receipt (contract 2.11). Their keys are part of mutant ids. */
const wrong: readonly (readonly [RequirementId, keyof typeof words, Readonly<Record<string, unknown>>])[] = [
  ['receipt.success', 'success', { missing: absent, string: 'true', false: false }],
  ['receipt.network', 'network', { missing: absent, 'by-name': 'base-sepolia' }],
  ['receipt.chainId', 'chainId', { missing: absent, string: '84532', other: 1 }],
  [
    'receipt.txHash',
    'txHash',
    { missing: absent, short: '0x2a', null: null, 'on-two-lines': `0x${'2a'.repeat(32)}\n` },
  ],
  ['receipt.payer', 'payer', { missing: absent, zeros: noPayer }],
];
const words = { success: '', network: '', chainId: '', txHash: '', payer: '' };

const fields = wrong.flatMap(([requirement, path, values]) =>
  Object.entries(values).flatMap(([word, value]) => {
    const does =
      value === absent
        ? `omits \`${path}\` from its receipts`
        : `sets \`${path}\` to ${JSON.stringify(value)} in its receipts`;
    const change = (receipt: Json) => withMember(receipt, path, value);
    return responds(
      `receipt-${path}-${word}`,
      `${does} for chats`,
      [requirement],
      receipting(change, { endpoint: 'chat' }),
    );
  }),
);

const settled = {
  success: true,
  network: 'eip155:84532',
  chainId: 84_532,
  txHash: `0x${'2a'.repeat(32)}`,
  payer: noPayer,
};

/** Refusals whose receipt says that the payment settled (D-444). */
const refusals: readonly (readonly [string, string, (reply: Reply, asked: Asked) => boolean])[] = [
  ['of-an-invalid-body', 'the 400 for a paid body', (reply, asked) => reply.status === 400 && isPaid(asked)],
  ['without-funds', 'a 402 `insufficient_funds`', (reply, asked) => isAboutFunds(asked, reply)],
  [
    'without-payment',
    'the 402 of a request without payment',
    (reply, asked) => reply.status === 402 && !isPaid(asked),
  ],
];

/** Mutants of the receipt (contract 2.11, 4.1, 4.4). */
export const receiptMutants: readonly Mutant[] = [
  ...fields,
  ...refusals.map(([id, does, isMet]) =>
    responds(
      `receipt-${id}`,
      `sends a receipt with \`success: true\` with ${does}`,
      ['receipt.success'],
      (reply, asked) => (isMet(reply, asked) ? withHeader(reply, name, encoded(settled)) : reply),
    ),
  ),
  {
    id: 'receipt-of-the-first-payment',
    does: 'names the transaction of its first payment in every receipt',
    place: 'respond',
    kills: ['served.receipt'],
    edge: () => {
      let first: unknown;
      return {
        respond: receipting((receipt) => {
          first ??= receipt['txHash'];
          return { ...receipt, txHash: first };
        }),
      };
    },
  },
  {
    id: 'receipt-of-the-last-payment',
    does: 'names the transaction of the previous payment in every receipt except the first',
    place: 'respond',
    kills: ['served.receipt'],
    edge: () => {
      let last: unknown;
      return {
        respond: receipting((receipt) => {
          const txHash = last ?? receipt['txHash'];
          last = receipt['txHash'];
          return { ...receipt, txHash };
        }),
      };
    },
  },
  {
    id: 'receipt-of-the-last-payer',
    does: 'names the payer of the payment that arrived last in every receipt',
    place: 'respond',
    kills: ['served.receipt'],
    edge: () => {
      let payer: unknown;
      const naming = receipting((receipt) => ({ ...receipt, payer }));
      return {
        read: (asked) => {
          payer = readPayment(asked)?.authorization['from'] ?? payer;
          return asked;
        },
        respond: async (reply, asked, forge) => {
          // Other payments arrive during the inference.
          if (asked.beside > 0) await delay(inferenceMs);
          return naming(reply, asked, forge);
        },
      };
    },
  },
  responds(
    'receipt-of-the-nonce',
    'sets `txHash` to the nonce of the payment in every receipt',
    ['served.receipt'],
    receipting((receipt, asked) => ({ ...receipt, txHash: readPayment(asked)?.authorization['nonce'] })),
  ),
  responds(
    'receipt-missing',
    'omits the receipt for a chat',
    ['receipt.header-present'],
    replying((reply) => withoutHeader(reply, name), { endpoint: 'chat' }),
  ),
  responds(
    'receipt-missing-everywhere',
    'omits every receipt',
    ['receipt.header-present', 'receipt.completions'],
    replying((reply) => withoutHeader(reply, name)),
  ),
  responds(
    'receipt-missing-on-completions',
    'omits the receipt for a text completion',
    ['receipt.completions'],
    replying((reply) => withoutHeader(reply, name), { endpoint: 'completions' }),
  ),
  responds(
    'receipt-in-raw-json',
    'sends the receipt for a chat as JSON without base64',
    ['receipt.header-base64'],
    receipting((receipt) => JSON.stringify(receipt), { endpoint: 'chat' }),
  ),
  responds(
    'receipt-in-an-array',
    'sends the receipt for a chat as an array with one element',
    ['receipt.header-base64'],
    receipting((receipt) => [receipt], { endpoint: 'chat' }),
  ),
  responds(
    'receipt-in-raw-json-on-completions',
    'sends the receipt for a text completion as JSON without base64',
    ['receipt.completions'],
    receipting((receipt) => JSON.stringify(receipt), { endpoint: 'completions' }),
  ),
  responds(
    'receipt-of-completions-without-payer',
    'omits `payer` from the receipt for a text completion',
    ['receipt.completions'],
    receipting((receipt) => withMember(receipt, 'payer', absent), { endpoint: 'completions' }),
  ),
  responds(
    'receipt-of-another-chain-everywhere',
    'sets `chainId` to 8453 in every receipt',
    ['receipt.chainId', 'receipt.completions'],
    receipting((receipt) => ({ ...receipt, chainId: 8_453 })),
  ),
];
