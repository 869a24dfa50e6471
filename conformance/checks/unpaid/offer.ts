import { mimeType, network, scheme, tokenDomainVersion } from '@paid-inference/contract/constants';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import { check, type JudgedId, observation } from '../../context/check.ts';
import { urlAt } from '../../context/context.ts';
import { addressPattern, amountPattern } from '../../payment/offer.ts';
import { paidEndpointNames, paidEndpoints } from '../../sources/bodies.ts';
import { isString, written } from '../../sources/judgements.ts';
import { requirements } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, seen } from '../../types/verdict.ts';
import { type JsonObject, member } from '../../wire/base64-json.ts';
import { sameUrl } from '../../wire/origin.ts';

/** Rules for the fields of the requirements and their `extra` (§2.8). */
export const offerRules: readonly OfferRule[] = [
  rule('offer.scheme', 'scheme', (value) => value === scheme, `"${scheme}"`),
  rule('offer.network', 'network', (value) => value === network, `"${network}"`),
  rule('offer.maxAmountRequired', 'maxAmountRequired', isAmount, 'a decimal integer string'),
  rule('offer.description', 'description', isString, 'a string'),
  rule('offer.mimeType', 'mimeType', (value) => value === mimeType, `"${mimeType}"`),
  rule('offer.payTo', 'payTo', isAddress, 'a 20-byte address in 0x-prefixed hex, not zero'),
  rule('offer.maxTimeoutSeconds', 'maxTimeoutSeconds', isPositiveInteger, 'a positive integer'),
  rule('offer.asset', 'asset', isAddress, 'a 20-byte address in 0x-prefixed hex, not zero'),
  rule('offer.extra.name', 'extra.name', isString, 'a string'),
  rule(
    'offer.extra.version',
    'extra.version',
    (value) => value === tokenDomainVersion,
    `"${tokenDomainVersion}"`,
  ),
];

/** Checks of each field of the requirements, for both endpoints. */
export const offerChecks = [
  ...paidEndpointNames.flatMap((endpoint) =>
    offerRules.map(({ requirement, path, expected, judge }) =>
      check(requirement, `\`${path}\` of the offer is ${expected} (${endpoint})`, (context) =>
        given(requirements(context, endpoint), judge),
      ),
    ),
  ),
  check('offer.resource', 'The offer names the full URL that was requested (chat)', (context) =>
    given(requirements(context, 'chat'), ({ resource }) =>
      judgeResource(resource, urlAt(context.targetUrl, paidEndpoints.chat.path)),
    ),
  ),
  check('offer.resource.per-endpoint', 'The offer of each endpoint names that endpoint', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    const completions = await requirements(context, 'completions');
    if (!completions.ok) return completions.verdict;
    const { resource } = completions.value;
    if (resource === chat.value['resource']) {
      return broken('a different resource for each endpoint', `${written(resource)} for both`);
    }
    return judgeResource(resource, urlAt(context.targetUrl, paidEndpoints.completions.path));
  }),
  observation('offer.price', 'Price of a small request', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    const completions = await requirements(context, 'completions');
    if (!completions.ok) return completions.verdict;
    const [one, other] = [chat, completions].map(({ value }) => written(value['maxAmountRequired']));
    return seen(`${one} units for chat, ${other} for completions`);
  }),
];

/** A field of the requirements or of their `extra`. */
type OfferPath = keyof PaymentRequirements | `extra.${keyof PaymentRequirements['extra']}`;

export type OfferRule = {
  readonly requirement: JudgedId;
  readonly path: OfferPath;
  readonly expected: string;
  readonly judge: (decoded: JsonObject) => Judgement;
};

function rule(
  requirement: JudgedId,
  path: OfferPath,
  test: (value: unknown) => boolean,
  expected: string,
): OfferRule {
  const judge = (decoded: JsonObject) => {
    const value = path.split('.').reduce<unknown>(member, decoded);
    // Names the type, because the bare number would look like the expected string.
    const got = typeof value === 'number' ? `the number ${value}` : written(value);
    return test(value) ? holds() : broken(expected, got);
  };
  return { requirement, path, expected, judge };
}

/** Judges whether an offer names the requested URL. */
export function judgeResource(resource: unknown, requested: string) {
  return isString(resource) && sameUrl(resource, requested)
    ? holds()
    : broken(`"${requested}"`, written(resource));
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0;
}

function isAmount(value: unknown): boolean {
  return isString(value) && amountPattern.test(value);
}

function isAddress(value: unknown): boolean {
  return isString(value) && addressPattern.test(value);
}
