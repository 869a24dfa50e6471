import {
  PaymentAuthorization,
  PaymentObject,
  PaymentReceipt,
  PaymentRequirements,
} from '@paid-inference/contract/validators';
import { describeRules, type Rule, required, values, without } from '../testing/rules.ts';
import {
  address,
  authorization,
  bytes32,
  notStrings,
  payment,
  receipt,
  requirements,
  signature,
} from '../testing/values.ts';

const longest = '9'.repeat(78);

describeRules('2.8 payment requirements', PaymentRequirements, [
  ...Object.keys(requirements).map((name) => required(requirements, name)),
  values('scheme is `exact`', requirements, 'scheme', ['exact'], ['upto', 'Exact', null]),
  values(
    'network is `eip155:84532`',
    requirements,
    'network',
    ['eip155:84532'],
    ['base-sepolia', 'eip155:8453', 84532],
  ),
  amount(requirements, 'maxAmountRequired'),
  values('resource is a string', requirements, 'resource', [requirements.resource], notStrings),
  values('description is a string', requirements, 'description', ['', 'Chat'], notStrings),
  values(
    'mimeType is `application/json`',
    requirements,
    'mimeType',
    ['application/json'],
    ['text/plain', null],
  ),
  addressRule(requirements, 'payTo'),
  values('maxTimeoutSeconds is an integer', requirements, 'maxTimeoutSeconds', [1, 300], ['300', 1.5, null]),
  values('maxTimeoutSeconds is at least 1 (D-39)', requirements, 'maxTimeoutSeconds', [1], [0, -1]),
  addressRule(requirements, 'asset'),
  values('extra is an object', requirements, 'extra', [requirements.extra], ['Token', null, []]),
  {
    rule: 'extra.name is required and a string',
    keeps: [requirements],
    breaks: [{ version: '1' }, ...notStrings.map((name) => ({ name, version: '1' }))].map(withExtra),
    at: '/extra/name',
  },
  {
    rule: 'extra.version is required and `1`',
    keeps: [requirements],
    breaks: [{ name: 'Token' }, ...['2', 1, null].map((version) => ({ name: 'Token', version }))].map(
      withExtra,
    ),
    at: '/extra/version',
  },
]);

describeRules('2.9 payment authorization', PaymentAuthorization, [
  ...Object.keys(authorization).map((name) => required(authorization, name)),
  addressRule(authorization, 'from'),
  addressRule(authorization, 'to'),
  amount(authorization, 'value'),
  ...(['validAfter', 'validBefore'] as const).map((name) =>
    values(
      `${name} is Unix time in seconds, an integer`,
      authorization,
      name,
      [0, 1_900_000_000, 2 ** 47],
      ['1900000000', 1.5, -1, null],
    ),
  ),
  values(
    'nonce is 32 bytes as 0x-prefixed hex',
    authorization,
    'nonce',
    [bytes32, `0x${'aB'.repeat(32)}`],
    [
      '6'.repeat(64),
      `0x${'6'.repeat(63)}`,
      `0x${'6'.repeat(65)}`,
      `0X${'6'.repeat(64)}`,
      `0x${'g'.repeat(64)}`,
      6,
    ],
  ),
]);

describeRules('2.10 payment object', PaymentObject, [
  required(payment, 'payload'),
  values('payload is an object', payment, 'payload', [payment.payload], ['payload', null, []]),
  ...(['signature', 'authorization'] as const).map((name) => ({
    rule: `payload.${name} is required`,
    keeps: [payment],
    breaks: [{ payload: without(payment.payload, name) }],
    at: `/payload/${name}`,
  })),
  {
    rule: 'payload.signature is 0x-prefixed hex: 65 bytes of a key, or any bytes of a contract wallet (D-293)',
    keeps: [signature, `0x${'aB'.repeat(65)}`, `0x${'aB'.repeat(300)}`, '0x'].map((each) => ({
      payload: { signature: each, authorization },
    })),
    breaks: [signature.slice(2), signature.slice(0, -1), `${signature.slice(0, -1)}g`, null].map((each) => ({
      payload: { signature: each, authorization },
    })),
    at: '/payload/signature',
  },
  {
    rule: 'payload.authorization is an authorization as in 2.9',
    keeps: [payment],
    breaks: [{ payload: { signature, authorization: without(authorization, 'nonce') } }],
    at: '/payload/authorization/nonce',
  },
]);

describeRules('2.11 payment receipt', PaymentReceipt, [
  ...Object.keys(receipt).map((name) => required(receipt, name)),
  values('success is a boolean', receipt, 'success', [true, false], ['true', 1, null]),
  values('network is `eip155:84532`', receipt, 'network', ['eip155:84532'], ['base-sepolia', 84532]),
  values('chainId is 84532', receipt, 'chainId', [84532], [8453, 1, '84532', null]),
  values('txHash is the hash of a transaction', receipt, 'txHash', [bytes32], ['0x', address, '', null]),
  addressRule(receipt, 'payer'),
  values('transaction is an optional transaction hash (D-25)', receipt, 'transaction', [bytes32], ['']),
  values('amount is the optional paid amount (D-25)', receipt, 'amount', ['10000'], [10000, '-1']),
]);

function withExtra(extra: object): object {
  return { ...requirements, extra };
}

/**
 * Non-negative, at most 78 digits (uint256). Leading zeros are a decision, so that an amount has one form
 * (D-39).
 */
function amount(value: object, name: string): Rule {
  return values(
    `${name} is an integer as a decimal string`,
    value,
    name,
    ['0', '1', '10000', longest],
    ['', '-1', '1.5', '1e3', '0x10', '007', '+1', ' 1', '1 ', `${longest}0`, 10000, null],
  );
}

function addressRule(value: object, name: string): Rule {
  return values(
    `${name} is an address`,
    value,
    name,
    [address, `0x${'aB'.repeat(20)}`],
    [address.slice(2), address.slice(0, -1), `${address}4`, `0x${'g'.repeat(40)}`, 'alice.eth', null],
  );
}
