import { headerNames } from '@paid-inference/contract/constants';
import { encodePaymentReceipt } from '@paid-inference/contract/headers';
import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';
import { expect, test } from 'vitest';
import { readReceipt } from './receipt.ts';

const authorization: PaymentAuthorization = {
  from: `0x${'4a'.repeat(20)}`,
  to: `0x${'11'.repeat(20)}`,
  value: '10000',
  validAfter: 0,
  validBefore: 1_800_000_300,
  nonce: `0x${'66'.repeat(32)}`,
};
const txHash = `0x${'3c'.repeat(32)}`;
const receipt: PaymentReceipt = {
  success: true,
  network: 'eip155:84532',
  chainId: 84532,
  txHash,
  payer: authorization.from,
};

function read(changes: Record<string, unknown>) {
  const header = encodePaymentReceipt(Object.assign({ ...receipt }, changes));
  return readReceipt(new Headers({ [headerNames.paymentResponse]: header }), authorization);
}

test('Accepts a receipt with the five fields of the contract', () => {
  expect(read({})).toEqual({ ok: true, receipt });
});

test('Accepts the fields of D-25 when they agree, in any letter case', () => {
  const more = {
    amount: '10000',
    transaction: txHash.toUpperCase().replace('0X', '0x'),
    payer: `0x${'4A'.repeat(20)}`,
  };
  expect(read(more)).toMatchObject({ ok: true, receipt: more });
});

test.each([
  ['another payer', { payer: `0x${'11'.repeat(20)}` }, /names the payer 0x1111/],
  ['another network', { network: 'eip155:1' }, /at \/network$/],
  ['another chain', { chainId: 1 }, /at \/chainId$/],
  ['a failed settlement', { success: false }, /settlement failed/],
  ['another amount', { amount: '10001' }, /10001 units were paid, not 10000/],
  ['a second transaction', { transaction: `0x${'33'.repeat(32)}` }, /two transactions/],
  ['no transaction', { txHash: '' }, /at \/txHash$/],
])('Rejects a receipt with %s', (_, changes, message) => {
  expect(read(changes)).toEqual({ ok: false, message: expect.stringMatching(message) });
});

test.each([
  ['no header', {}, /^X-PAYMENT-RESPONSE is missing$/],
  ['a header that is not base64', { [headerNames.paymentResponse]: '!' }, /is not base64$/],
  ['a header that is not JSON', { [headerNames.paymentResponse]: btoa('{') }, /is not base64 of JSON$/],
])('Rejects %s', (_, headers, message) => {
  const read = readReceipt(new Headers(headers), authorization);
  expect(read).toEqual({ ok: false, message: expect.stringMatching(message) });
});
