import { Interface } from 'ethers';
import { describe, expect, test } from 'vitest';
import artifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { randomValues } from '../testing/chain/random-values.ts';
import { atomicAmount } from '../types/units.ts';
import { type ExpectedPayment, listReceived, type ReceiptLog, tracePayment } from './token-logs.ts';

const token = new Interface(artifact.abi);
const random = randomValues(1);
const payment: ExpectedPayment = {
  asset: random.address(),
  from: random.address(),
  to: random.address(),
  value: atomicAmount(1_500n),
  nonce: random.bytes32(),
};
const { asset, from, to, value, nonce } = payment;
const other = random.address();

/** Encodes a log by the token's ABI, so that topics and data are compared with ethers. */
function log(event: string, values: readonly unknown[], address: string = asset): ReceiptLog {
  return { address, ...token.encodeEventLog(event, values) };
}

const used = log('AuthorizationUsed', [from, nonce]);
const transfer = log('Transfer', [from, to, value]);

describe('A payment is paid when its nonce was used and its value moved with it', () => {
  test('alone', () => expect(tracePayment([used, transfer], payment)).toBe('paid'));

  test('among the logs of a batch', () => {
    const before = [log('AuthorizationUsed', [other, nonce]), log('Transfer', [other, to, value])];
    const after = [log('AuthorizationUsed', [from, random.bytes32()]), log('Transfer', [from, to, 9n])];
    expect(tracePayment([...before, used, transfer, ...after], payment)).toBe('paid');
  });

  test('with logs of other contracts, and other events of the token, between the two', () => {
    const between = [
      log('Transfer', [from, other, value], other),
      log('OwnershipTransferred', [other, from]),
    ];
    expect(tracePayment([used, ...between, transfer], payment)).toBe('paid');
  });

  test('also when the node writes addresses in mixed case', () => {
    const shouted = [used, transfer].map((each) => ({
      ...each,
      address: each.address.replace(/[a-f]/g, (c) => c.toUpperCase()),
    }));
    expect(tracePayment(shouted, payment)).toBe('paid');
  });
});

describe('A payment is not paid', () => {
  const cases: [string, ReceiptLog[], string][] = [
    ['when nothing was logged, as after an inner out-of-gas', [], 'absent'],
    ['when value moved but the nonce was not used', [transfer], 'absent'],
    ['when the nonce was used but nothing moved', [used], 'used-otherwise'],
    ['when less moved', [used, log('Transfer', [from, to, value - 1n])], 'used-otherwise'],
    ['when more moved', [used, log('Transfer', [from, to, value + 1n])], 'used-otherwise'],
    ['when it moved to another', [used, log('Transfer', [from, other, value])], 'used-otherwise'],
    ['when it came from another', [used, log('Transfer', [other, to, value])], 'used-otherwise'],
    ['when another token moved', [used, log('Transfer', [from, to, value], other)], 'used-otherwise'],
    ['when another contract logs that the nonce was used', [{ ...used, address: other }, transfer], 'absent'],
    ['when another payer’s nonce was used', [log('AuthorizationUsed', [other, nonce]), transfer], 'absent'],
    ['when another nonce was used', [log('AuthorizationUsed', [from, random.bytes32()]), transfer], 'absent'],
    [
      'when a reorganisation removed its block',
      [used, transfer].map((each) => ({ ...each, removed: true })),
      'absent',
    ],
    ['when the payer cancelled the nonce', [log('AuthorizationCanceled', [from, nonce])], 'canceled'],
    ['when another payer cancelled the same nonce', [log('AuthorizationCanceled', [other, nonce])], 'absent'],
  ];
  test.each(cases)('%s', (_name, logs, trace) => expect(tracePayment(logs, payment)).toBe(trace));
});

test('One transfer never counts for two nonces, also when a nonce was spent elsewhere', () => {
  const second = { ...payment, nonce: random.bytes32() };
  const logs = [
    used,
    log('Transfer', [from, other, value]),
    log('AuthorizationUsed', [from, second.nonce]),
    transfer,
  ];
  expect(tracePayment(logs, payment)).toBe('used-otherwise');
  expect(tracePayment(logs, second)).toBe('paid');
});

describe('The transfers that an account received', () => {
  const list = (...logs: readonly ReceiptLog[]) => listReceived(logs, asset, to);

  test('have the authorization that was logged before them, also with other events between', () => {
    const between = [log('OwnershipTransferred', [other, from]), log('Transfer', [from, to, 4n], other)];
    expect(list(used, ...between, transfer)).toEqual([
      { from, value, authorization: { payer: from, nonce } },
    ]);
  });

  test('have none without an authorization of their own', () => {
    const plain = log('Transfer', [other, to, 7n]);
    expect(list(plain, used, transfer, plain)).toEqual([
      { from: other, value: 7n, authorization: null },
      { from, value, authorization: { payer: from, nonce } },
      { from: other, value: 7n, authorization: null },
    ]);
  });

  test('do not include those of other accounts, of other tokens, and of removed blocks', () => {
    const elsewhere = log('Transfer', [from, other, value]);
    expect(list(used, elsewhere, { ...transfer, removed: true }, { ...transfer, address: other })).toEqual(
      [],
    );
  });
});
