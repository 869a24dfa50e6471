import { chainId, headerNames, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import { check, type JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given, missing } from '../engine/found.ts';
import { broken, holds } from '../engine/verdict.ts';
import { decodeBase64, decodeJson, isObject, type JsonObject } from '../wire/base64-json.ts';
import { is, isString, worst, written } from './judgements.ts';
import { type Paid, paidChat, paidCompletion, served } from './paid-source.ts';

type Fields = Readonly<
  Partial<Record<keyof PaymentReceipt, { test: (value: unknown, paid: Paid) => boolean; expected: string }>>
>;

/** What a receipt beside a 200 says (contract 2.11). That status says that the payment settled (contract 3). */
const fields = {
  success: { test: (value) => value === true, expected: 'true' },
  network: { test: (value) => value === network, expected: `"${network}"` },
  chainId: { test: (value) => value === chainId, expected: `${chainId}` },
  txHash: {
    test: (value) => isString(value) && /^0x[0-9a-fA-F]{64}$/.test(value),
    expected: 'a transaction hash: 32 bytes in 0x-prefixed hex',
  },
  payer: {
    test: (value, { payment }) =>
      isString(value) && value.toLowerCase() === payment.authorization.from.toLowerCase(),
    expected: 'the address that paid',
  },
} as const satisfies Fields;

export const receiptChecks = [
  check('receipt.header-present', `A paid answer carries ${headerNames.paymentResponse}`, (context) =>
    given(served(paidChat(context)), (paid) =>
      receiptHeader(paid).ok ? holds() : broken(`the header ${headerNames.paymentResponse}`, 'none'),
    ),
  ),
  check('receipt.header-base64', `${headerNames.paymentResponse} is base64 of a JSON object`, (context) =>
    given(served(paidChat(context)), (paid) => {
      const text = receiptHeader(paid);
      if (!text.ok) return text.verdict;
      const receipt = decodeReceipt(text.value);
      return receipt.ok ? holds() : broken('standard base64 of a JSON object', receipt.verdict.reason);
    }),
  ),
  field('receipt.success', 'success'),
  field('receipt.network', 'network'),
  field('receipt.chainId', 'chainId'),
  field('receipt.txHash', 'txHash'),
  field('receipt.payer', 'payer'),
  check('receipt.completions', 'A paid text answer carries a whole receipt', (context) =>
    given(served(paidCompletion(context)), (paid) => {
      const text = receiptHeader(paid);
      if (!text.ok) return broken(`the header ${headerNames.paymentResponse}`, 'none');
      const receipt = decodeReceipt(text.value);
      if (!receipt.ok) return broken('base64 of a JSON object', receipt.verdict.reason);
      return worst(
        Object.entries(fields).map(([name, { test, expected }]) =>
          test(receipt.value[name], paid)
            ? holds()
            : broken(`\`${name}\` ${expected}`, written(receipt.value[name])),
        ),
      );
    }),
  ),
];

function field(requirement: JudgedId, name: keyof typeof fields) {
  const { test, expected } = fields[name];
  return check(requirement, `\`${name}\` of the receipt is ${expected}`, (context) =>
    given(chatReceipt(context), ({ receipt, paid }) =>
      is(receipt[name], (value) => test(value, paid), expected),
    ),
  );
}

function chatReceipt(context: Context): Promise<Found<{ receipt: JsonObject; paid: Paid }>> {
  return andThen(served(paidChat(context)), (paid) => {
    const receipt = receiptOf(paid);
    return receipt.ok ? found({ receipt: receipt.value, paid }) : receipt;
  });
}

/** The receipt of a paid answer, whatever is in it. */
export function receiptOf(paid: Paid): Found<JsonObject> {
  const text = receiptHeader(paid);
  return text.ok ? decodeReceipt(text.value) : text;
}

function receiptHeader({ answered }: Paid): Found<string> {
  const text = answered.outcome.headers.get(headerNames.paymentResponse.toLowerCase());
  return text === undefined
    ? missing(`answer ${answered.number} has no ${headerNames.paymentResponse}`)
    : found(text);
}

function decodeReceipt(text: string): Found<JsonObject> {
  const bytes = decodeBase64(text);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  if (!value.ok) return value;
  return isObject(value.value) ? found(value.value) : missing('it is not a JSON object');
}
