import { mimeType, network, scheme, tokenDomainVersion } from '@paid-inference/contract/constants';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../engine/check.ts';
import { urlAt } from '../engine/context.ts';
import { given } from '../engine/found.ts';
import { broken, holds, seen } from '../engine/verdict.ts';
import { addressPattern, amountPattern } from '../payment/offer.ts';
import { member } from '../wire/base64-json.ts';
import { sameUrl } from '../wire/origin.ts';
import { type PaidEndpoint, paidEndpointNames, paidEndpoints } from './bodies.ts';
import { is, isString, written } from './judgements.ts';
import { requirements } from './sources.ts';

/** Each field of the requirements (contract 2.8), of both endpoints. */
export const offerChecks = [
  ...paidEndpointNames.flatMap((endpoint) => [
    field(endpoint, 'offer.scheme', 'scheme', (value) => value === scheme, `"${scheme}"`),
    field(endpoint, 'offer.network', 'network', (value) => value === network, `"${network}"`),
    field(endpoint, 'offer.maxAmountRequired', 'maxAmountRequired', isAmount, 'a decimal integer string'),
    field(endpoint, 'offer.description', 'description', isString, 'a string'),
    field(endpoint, 'offer.mimeType', 'mimeType', (value) => value === mimeType, `"${mimeType}"`),
    field(endpoint, 'offer.payTo', 'payTo', isAddress, 'a 20-byte address in 0x-prefixed hex'),
    field(
      endpoint,
      'offer.maxTimeoutSeconds',
      'maxTimeoutSeconds',
      (value) => Number.isInteger(value) && Number(value) > 0,
      'a positive integer',
    ),
    field(endpoint, 'offer.asset', 'asset', isAddress, 'a 20-byte address in 0x-prefixed hex'),
    field(endpoint, 'offer.extra.name', 'extra.name', isString, 'a string'),
    field(
      endpoint,
      'offer.extra.version',
      'extra.version',
      (value) => value === tokenDomainVersion,
      `"${tokenDomainVersion}"`,
    ),
  ]),
  check('offer.resource', 'The offer names the full URL that was requested (chat)', (context) =>
    given(requirements(context, 'chat'), ({ resource }) =>
      judgeResource(resource, urlAt(context.targetUrl, paidEndpoints.chat.path)),
    ),
  ),
  check('offer.resource.per-endpoint', 'The offer of each endpoint names that endpoint', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    return given(requirements(context, 'completions'), ({ resource }) => {
      if (resource === chat.value['resource']) {
        return broken('a resource of its own for each endpoint', `${written(resource)} for both`);
      }
      return judgeResource(resource, urlAt(context.targetUrl, paidEndpoints.completions.path));
    });
  }),
  observation('offer.price', 'What a small request costs', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    return given(requirements(context, 'completions'), ({ maxAmountRequired }) =>
      seen(
        `${written(chat.value['maxAmountRequired'])} units for chat, ${written(maxAmountRequired)} for completions`,
      ),
    );
  }),
];

/** A field of the requirements, or of their `extra`. */
type OfferPath = keyof PaymentRequirements | `extra.${keyof PaymentRequirements['extra']}`;

function field(
  endpoint: PaidEndpoint,
  requirement: JudgedId,
  path: OfferPath,
  test: (value: unknown) => boolean,
  expected: string,
) {
  return check(requirement, `\`${path}\` of the offer is ${expected} (${endpoint})`, (context) =>
    given(requirements(context, endpoint), (decoded) => {
      const value = path.split('.').reduce<unknown>(member, decoded);
      return is(value, test, expected);
    }),
  );
}

function judgeResource(resource: unknown, requested: string) {
  return isString(resource) && sameUrl(resource, requested)
    ? holds()
    : broken(`"${requested}"`, written(resource));
}

function isAmount(value: unknown): boolean {
  return isString(value) && amountPattern.test(value);
}

function isAddress(value: unknown): boolean {
  return isString(value) && addressPattern.test(value);
}
