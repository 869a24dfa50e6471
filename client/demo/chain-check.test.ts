import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';
import { Interface, TransactionReceipt } from 'ethers';
import { describe, expect, test } from 'vitest';
import type { Token } from '../token.ts';
import { requireExactChange, requireSettled } from './chain-check.ts';

const address = (digits: string) => `0x${digits.repeat(20)}`;
const hash = (digits: string) => `0x${digits.repeat(32)}`;

const asset = address('22');
const authorization: PaymentAuthorization = {
  from: address('4a'),
  to: address('11'),
  value: '1000',
  validAfter: 0,
  validBefore: 1_800_000_000,
  nonce: hash('66'),
};
const receipt: PaymentReceipt = {
  success: true,
  network: 'eip155:84532',
  chainId: 84532,
  txHash: hash('33'),
  payer: authorization.from,
};

type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

const events = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);
const log = (name: string, values: readonly unknown[], from = asset): Log => ({
  address: from,
  ...events.encodeEventLog(name, values),
});
const used = log('AuthorizationUsed', [authorization.from, authorization.nonce]);
const moved = log('Transfer', [authorization.from, authorization.to, 1_000n]);

/** A fake token whose chain has only this transaction. */
function tokenWith(logs: readonly Log[], status = 1): Token {
  const unasked = () => Promise.reject(new Error('not asked'));
  const bare = {
    blockHash: hash('aa'),
    blockNumber: 1,
    transactionHash: receipt.txHash,
    transactionIndex: 0,
  };
  const transaction = new TransactionReceipt(
    {
      ...bare,
      to: asset,
      from: address('55'),
      contractAddress: null,
      hash: receipt.txHash,
      index: 0,
      logsBloom: '0x',
      gasUsed: 1n,
      blobGasUsed: null,
      cumulativeGasUsed: 1n,
      blobGasPrice: null,
      type: 2,
      status,
      root: null,
      logs: logs.map((entry, index) => ({ ...bare, ...entry, index, removed: false })),
    },
    Object.create(null),
  );
  return {
    terms: unasked,
    balanceOf: unasked,
    transaction: async (txHash) => (txHash === receipt.txHash ? transaction : null),
    close: () => undefined,
  };
}

const check = (token: Token) => requireSettled(token, asset, { authorization, receipt });

describe('A purchase is settled', () => {
  test('when its transaction used the nonce and moved the amount, also among other events', async () => {
    const others = [
      log('Transfer', [address('99'), authorization.to, 5n]),
      log('AuthorizationUsed', [address('99'), hash('77')]),
    ];
    await expect(check(tokenWith([...others, used, moved]))).resolves.toBeUndefined();
  });

  test.each([
    [
      'the transaction used another nonce',
      [log('AuthorizationUsed', [authorization.from, hash('77')]), moved],
    ],
    [
      'another token used the nonce',
      [log('AuthorizationUsed', [authorization.from, authorization.nonce], address('23')), moved],
    ],
    ['the token moved less', [used, log('Transfer', [authorization.from, authorization.to, 999n])]],
    ['another account paid', [used, log('Transfer', [address('99'), authorization.to, 1_000n])]],
    ['another account was paid', [used, log('Transfer', [authorization.from, address('99'), 1_000n])]],
    ['the transaction has no logs', []],
  ])('but not when %s', async (_, logs) => {
    await expect(check(tokenWith(logs))).rejects.toThrow(/does not (use the nonce|move 1000 units)/);
  });

  test('but not by a failed or unknown transaction', async () => {
    await expect(check(tokenWith([used, moved], 0))).rejects.toThrow('no successful transaction');
    const unknown = { ...tokenWith([used, moved]), transaction: async () => null };
    await expect(check(unknown)).rejects.toThrow('no successful transaction');
  });
});

describe('The balances', () => {
  const before = { payer: 5_000n, payee: 0n };

  test('change by exactly the price', () => {
    expect(() => requireExactChange(before, { payer: 4_000n, payee: 1_000n }, 1_000n)).not.toThrow();
  });

  test.each([
    ['the payer lost a unit more', { payer: 3_999n, payee: 1_000n }],
    ['the payer lost nothing', { payer: 5_000n, payee: 1_000n }],
    ['the payee gained a unit less', { payer: 4_000n, payee: 999n }],
  ])('fail the demo when %s', (_, after) => {
    expect(() => requireExactChange(before, after, 1_000n)).toThrow(/units instead of 1000$/);
  });
});
