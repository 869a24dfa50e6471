import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chainId, endpoints, headerNames, network, scheme } from '@paid-inference/contract/constants';
import {
  paymentDomain,
  paymentDomainFields,
  transferWithAuthorizationPrimaryType,
  transferWithAuthorizationTypes,
} from '@paid-inference/contract/eip712';
import { errorTable } from '@paid-inference/contract/errors';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import {
  attemptTimeoutMsDefault,
  presentationsMax,
  responseBytesMax,
  retryWaitMsFirst,
  retryWaitMsMax,
  validitySecondsMax,
} from '../limits.ts';
import { releasingCodes } from '../payment/outcome.ts';
import { pythonLiteral, simplifySchema } from './python-literal.ts';

const file = new URL('paid_inference/_contract.py', import.meta.url);
const { values: options } = parseArgs({
  options: {
    /** Only compares, and fails if the module is out of date. */
    check: { type: 'boolean', default: false },
  },
});

/** Each value of the domain that comes from the offer, as its place there. */
const domainPlaces = paymentDomain({
  asset: 'asset',
  extra: { name: 'extra.name', version: 'extra.version' },
});

const constants: Readonly<Record<string, unknown>> = {
  SCHEME: scheme,
  NETWORK: network,
  CHAIN_ID: chainId,
  CHAT_PATH: endpoints.createChatCompletion.path,
  TEXT_PATH: endpoints.createCompletion.path,
  HEADERS: headerNames,
  INVALID_REQUEST: { code: 'invalid_request', ...errorTable.invalid_request },
  REFUSED: { status: errorTable.insufficient_funds.status, type: errorTable.insufficient_funds.type },
  PRIMARY_TYPE: transferWithAuthorizationPrimaryType,
  TRANSFER_TYPES: transferWithAuthorizationTypes,
  DOMAIN_FIELDS: paymentDomainFields,
  DOMAIN_PLACES: domainPlaces,
  OFFER_SCHEMA: simplifySchema(document, 'PaymentRequirements'),
  RECEIPT_SCHEMA: simplifySchema(document, 'PaymentReceipt'),
  ADDRESS_SCHEMA: simplifySchema(document, 'EvmAddress'),
  RELEASING_CODES: [...releasingCodes],
  ATTEMPT_TIMEOUT_SECONDS: attemptTimeoutMsDefault / 1000,
  PRESENTATIONS_MAX: presentationsMax,
  RETRY_WAIT_SECONDS_FIRST: retryWaitMsFirst / 1000,
  RETRY_WAIT_SECONDS_MAX: retryWaitMsMax / 1000,
  RESPONSE_BYTES_MAX: responseBytesMax,
  VALIDITY_SECONDS_MAX: validitySecondsMax,
};

const lines = Object.entries(constants).map(
  ([name, value]) => `${name}: Final[Any] = ${pythonLiteral(value)}\n`,
);
const wanted = `"""The facts of the contract, and the limits of the TypeScript client, for this package.

Generated from spec/ and client/ by \`npm run generate\`. Edit them, not this file.
"""

from typing import Any, Final

${lines.join('')}`;

if (!options.check) writeFileSync(file, wanted);
if (readFileSync(file, 'utf8') === wanted) console.log('_contract.py is up to date');
else {
  console.log('client/python/paid_inference/_contract.py is out of date. Run `npm run generate` and commit');
  process.exitCode = 1;
}
