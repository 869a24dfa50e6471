import { Interface, Log, type Provider, type TransactionReceipt } from 'ethers';
import { expect, it } from 'vitest';
import type { Address } from '../../../types/units.ts';
import type { SitePayment } from '../../payments.ts';
import { checkPayment, sumPayments } from './transfers.ts';

const address = (digits: string) => `0x${digits.repeat(20)}` as Address;
const [token, payTo, payer, other] = ['11', '22', '33', '44'].map(address) as [
  Address,
  Address,
  Address,
  Address,
];
const [nonce, otherNonce, hash] = ['aa', 'bb', 'cc'].map((digits) => `0x${digits.repeat(32)}`) as [
  string,
  string,
  string,
];
const events = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

function log(name: string, values: readonly unknown[], at: string = token): Log {
  const { data, topics } = events.encodeEventLog(name, values);
  const place = { blockHash: hash, blockNumber: 1, transactionHash: hash, transactionIndex: 0, index: 0 };
  return new Log({ ...place, address: at, data, topics, removed: false }, null as unknown as Provider);
}

const facts = { token: { address: token, name: 'Dollar', decimals: 6 }, payTo };
const paid = [log('AuthorizationUsed', [payer, nonce]), log('Transfer', [payer, payTo, 7n])];

it('counts the payments of a transaction, and no plain transfer and no other token', () => {
  const logs = [
    ...paid,
    log('Transfer', [other, payTo, 1_000n]),
    log('AuthorizationUsed', [other, nonce]),
    log('Transfer', [other, payTo, 5n]),
    log('AuthorizationUsed', [other, otherNonce]),
    log('Transfer', [other, payer, 3n]),
    log('AuthorizationUsed', [payer, nonce], other),
    log('Transfer', [payer, payTo, 9n], other),
  ];
  expect(sumPayments(logs, facts)).toEqual({ count: 2, sum: 12n });
});

const payment = { payer, nonce, payTo, amount: '7', txHash: hash } as unknown as SitePayment;

function verdicts(asked: { readonly nonce: string; readonly payer: string }, logs = paid, status = 1) {
  const receipt = { status, hash, blockNumber: 1, logs } as unknown as TransactionReceipt;
  const found = { receipt, minedAt: 1, confirmations: 1 };
  return checkPayment(payment, found, asked, facts).map(({ verdict }) => verdict);
}

it('verifies a payment by the nonce and the payer of the visitor', () => {
  expect(verdicts({ nonce, payer })).toEqual(['true', 'true', 'true']);
});

it.each([
  ['another nonce', { nonce: otherNonce, payer }],
  ['another payer', { nonce, payer: other }],
])('shows no step about %s as verified, whatever payment the gateway returns', (_name, asked) => {
  expect(verdicts(asked)).toEqual(['true', 'false', 'false']);
});

it('shows no transfer of another amount as verified, and no transaction that failed', () => {
  const less = [log('AuthorizationUsed', [payer, nonce]), log('Transfer', [payer, payTo, 6n])];
  expect(verdicts({ nonce, payer }, less)).toEqual(['true', 'true', 'false']);
  expect(verdicts({ nonce, payer }, [], 0)).toEqual(['false', 'false', 'false']);
});

it('verifies nothing without a transaction', () => {
  const steps = checkPayment(payment, null, { nonce, payer }, facts);
  expect(steps.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown', 'unknown']);
});
