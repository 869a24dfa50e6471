import {
  AcceptedPayment,
  PaymentRequiredBody,
  X402V1Offer,
  X402V2Offer,
  X402V2Refusal,
} from '@paid-inference/contract/validators';
import { describeRules, required, values, without } from '../testing/rules.ts';
import { authorization, notStrings, offerV2, payment, requirements, signature } from '../testing/values.ts';

// All of this is our decision: the contract shows neither the body of a 402 nor another dialect.

const option = { ...requirements, network: 'base-sepolia' };
const offerV1 = { x402Version: 1, error: 'X-PAYMENT header is required', accepts: [option] };
const strings = { ...authorization, validAfter: '0', validBefore: '1900000000' };
const v1 = {
  x402Version: 1,
  scheme: 'exact',
  network: 'base-sepolia',
  payload: { signature, authorization: strings },
};
const v2 = { x402Version: 2, accepted: offerV2.accepts[0], payload: { signature, authorization: strings } };

describeRules('D-01 body of a 402', PaymentRequiredBody, [
  {
    rule: 'is any object, because the contract shows none',
    keeps: [{}, offerV1],
    breaks: ['', null, []],
    at: '',
  },
]);

describeRules('D-01 x402 v1 offer', X402V1Offer, [
  ...Object.keys(offerV1).map((name) => required(offerV1, name)),
  values('x402Version is 1', offerV1, 'x402Version', [1], [2, '1', null]),
  values('error is a string', offerV1, 'error', [''], notStrings),
  values('accepts is an array', offerV1, 'accepts', [[option]], [option, null]),
  {
    rule: 'an option has the v1 name of the network',
    keeps: [offerV1],
    breaks: [{ ...offerV1, accepts: [requirements] }],
    at: '/accepts/0/network',
  },
  {
    rule: 'an option has every other field of the requirements',
    keeps: [offerV1],
    breaks: [{ ...offerV1, accepts: [without(option, 'payTo')] }],
    at: '/accepts/0/payTo',
  },
]);

describeRules('D-01 x402 v2 offer', X402V2Offer, [
  ...Object.keys(offerV2).map((name) => required(offerV2, name)),
  values('x402Version is 2', offerV2, 'x402Version', [2], [1, '2']),
  {
    rule: 'an option has the price in amount',
    keeps: [offerV2],
    breaks: [{ ...offerV2, accepts: [requirements] }],
    at: '/accepts/0/amount',
  },
  {
    rule: 'extra names the type to sign, or none (D-266)',
    keeps: [offerV2, { ...offerV2, accepts: [{ ...offerV2.accepts[0], extra: requirements.extra }] }],
    breaks: [
      {
        ...offerV2,
        accepts: [{ ...offerV2.accepts[0], extra: { ...requirements.extra, primaryType: 'Permit' } }],
      },
    ],
    at: '/accepts/0/extra/primaryType',
  },
]);

const identifier = { info: { required: false }, schema: {} };

describeRules('D-260 extensions of an x402 v2 offer', X402V2Offer, [
  {
    rule: 'an extension has information and a schema',
    keeps: [offerV2, { ...offerV2, extensions: { 'payment-identifier': identifier } }],
    breaks: [{ ...offerV2, extensions: { 'payment-identifier': without(identifier, 'info') } }],
    at: '/extensions/payment-identifier/info',
  },
]);

describeRules('D-34 payment in any dialect', AcceptedPayment, [
  {
    rule: 'the contract’s own, x402 v1 and x402 v2',
    keeps: [payment, v1, v2],
    breaks: [without(v1, 'payload'), {}],
    at: '/payload',
  },
  {
    rule: 'times are integers or decimal strings (D-20)',
    keeps: [payment, v1],
    breaks: [null, 1.5, '-1', '1e9', true].map((validAfter) => ({
      payload: { signature, authorization: { ...authorization, validAfter } },
    })),
    at: '/payload/authorization/validAfter',
  },
  {
    rule: 'a bad signature passes the schema, because it is a 401 and not malformed (D-04)',
    keeps: ['0x', 'none', signature.slice(2)].map((each) => ({
      payload: { signature: each, authorization },
    })),
    breaks: notStrings.map((each) => ({ payload: { signature: each, authorization } })),
    at: '/payload/signature',
  },
]);

const refusal = {
  success: false,
  errorReason: 'insufficient_funds',
  transaction: '',
  network: 'eip155:84532',
  payer: authorization.from,
};

describeRules('D-285 refusal of a payment', X402V2Refusal, [
  ...['success', 'errorReason', 'transaction', 'network'].map((name) => required(refusal, name)),
  values('success is false', refusal, 'success', [false], [true, 'false', null]),
  values('errorReason is a string', refusal, 'errorReason', ['settlement_failed'], notStrings),
  values('transaction is empty', refusal, 'transaction', [''], [`0x${'1'.repeat(64)}`, null]),
  {
    rule: 'payer is an address, or missing',
    keeps: [refusal, without(refusal, 'payer')],
    breaks: [{ ...refusal, payer: '' }],
    at: '/payer',
  },
]);
