import { chainId, headerNames, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { JudgedId } from '../../context/check.ts';
import { is, isString, worst, written } from '../../sources/judgements.ts';
import { type Paid, paidChat, paidCompletion } from '../../sources/paid-source.ts';
import { type Found, found, missing } from '../../types/found.ts';
import { broken, holds } from '../../types/verdict.ts';
import { decodeBase64, decodeJson, isObject, type JsonObject } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { createChecks, type ResponseRule } from './response-rules.ts';

type Field = {
  readonly test: (value: unknown, payer: string) => boolean;
  readonly expected: string;
  /** The same, with the payer's address. */
  readonly expectedOf?: (payer: string) => string;
};
type Fields = Readonly<Partial<Record<keyof PaymentReceipt, Field>>>;

/** Fields of the receipt in a 200 response (§2.11), which says that the payment settled (§3). */
const fields = {
  success: { test: (value) => value === true, expected: 'true' },
  network: { test: (value) => value === network, expected: `"${network}"` },
  chainId: { test: (value) => value === chainId, expected: `${chainId}` },
  txHash: {
    test: (value) => isString(value) && /^0x[0-9a-fA-F]{64}$/.test(value),
    expected: 'a transaction hash: 32 bytes in 0x-prefixed hex',
  },
  payer: {
    test: (value, payer) => isString(value) && value.toLowerCase() === payer.toLowerCase(),
    expected: 'the address of the payer',
    expectedOf: (payer) => `the address of the payer, ${payer}`,
  },
} as const satisfies Fields;

/** Rules for the receipt of each chat response (§2.11, §4.1). */
export const chatReceiptRules: readonly ResponseRule[] = [
  {
    requirement: 'receipt.header-present',
    title: `A paid response has the header ${headerNames.paymentResponse}`,
    judge: (answered) =>
      receiptHeader(answered).ok
        ? holds()
        : broken(`the header ${headerNames.paymentResponse}`, 'no such header'),
  },
  {
    requirement: 'receipt.header-base64',
    title: `${headerNames.paymentResponse} is base64 of a JSON object`,
    judge: (answered) => {
      const text = receiptHeader(answered);
      if (!text.ok) return text.verdict;
      const receipt = decodeReceipt(text.value);
      return receipt.ok ? holds() : broken('standard base64 of a JSON object', receipt.verdict.reason);
    },
  },
  field('receipt.success', 'success'),
  field('receipt.network', 'network'),
  field('receipt.chainId', 'chainId'),
  field('receipt.txHash', 'txHash'),
  field('receipt.payer', 'payer'),
];

/** The rule for the receipt of each text response (§4.2), with all fields. */
export const completionReceiptRule: ResponseRule = {
  requirement: 'receipt.completions',
  title: 'A paid text response has a complete receipt',
  judge: (answered, payer) => {
    const text = receiptHeader(answered);
    if (!text.ok) return broken(`the header ${headerNames.paymentResponse}`, 'no such header');
    const receipt = decodeReceipt(text.value);
    if (!receipt.ok) return broken('base64 of a JSON object', receipt.verdict.reason);
    return worst(
      Object.entries<Field>(fields).map(([name, { test, expected, expectedOf }]) =>
        test(receipt.value[name], payer)
          ? holds()
          : broken(`\`${name}\` ${expectedOf?.(payer) ?? expected}`, written(receipt.value[name])),
      ),
    );
  },
};

export const receiptChecks = [
  ...createChecks(chatReceiptRules, paidChat),
  ...createChecks([completionReceiptRule], paidCompletion),
];

function field(requirement: JudgedId, name: keyof typeof fields): ResponseRule {
  const { test, expected, expectedOf }: Field = fields[name];
  return {
    requirement,
    title: `\`${name}\` of the receipt is ${expected}`,
    judge: (answered, payer) => {
      const receipt = readReceipt({ answered });
      return receipt.ok
        ? is(receipt.value[name], (value) => test(value, payer), expectedOf?.(payer) ?? expected)
        : receipt.verdict;
    },
  };
}

/** The decoded receipt of a paid response, unvalidated. */
export function readReceipt({ answered }: Pick<Paid, 'answered'>): Found<JsonObject> {
  const text = receiptHeader(answered);
  return text.ok ? decodeReceipt(text.value) : text;
}

function receiptHeader(answered: Answered): Found<string> {
  const text = answered.outcome.headers.get(headerNames.paymentResponse.toLowerCase());
  return text === undefined
    ? missing(`response ${answered.number} has no header ${headerNames.paymentResponse}`)
    : found(text);
}

function decodeReceipt(text: string): Found<JsonObject> {
  const bytes = decodeBase64(text);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  if (!value.ok) return value;
  return isObject(value.value) ? found(value.value) : missing('the text is not a JSON object');
}
