import type { RequirementId } from '@paid-inference/contract/requirements';
import { offering } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { absent, endpointOf, isPaid, type Json, withMember } from '../wire-edits.ts';

/** Values that a field of the offer must not have (contract 2.8), each with a word for the id of its mutant. */
const wrong: ReadonlyMap<RequirementId, readonly [path: string, values: Readonly<Record<string, unknown>>]> =
  new Map([
    ['offer.scheme', ['scheme', { missing: absent, other: 'upto' }]],
    ['offer.network', ['network', { missing: absent, 'by-name': 'base-sepolia', number: 84_532 }]],
    [
      'offer.maxAmountRequired',
      [
        'maxAmountRequired',
        {
          missing: absent,
          number: 1000,
          hex: '0x3e8',
          decimal: '0.001',
          padded: '0001000',
          negative: '-1000',
        },
      ],
    ],
    ['offer.description', ['description', { missing: absent, null: null }]],
    ['offer.mimeType', ['mimeType', { missing: absent, other: 'text/plain' }]],
    ['offer.payTo', ['payTo', { missing: absent, name: 'merchant.example', short: '0x1b1b' }]],
    ['offer.maxTimeoutSeconds', ['maxTimeoutSeconds', { missing: absent, string: '300', fraction: 299.5 }]],
    ['offer.asset', ['asset', { missing: absent, symbol: 'TPT' }]],
    ['offer.extra.name', ['extra.name', { missing: absent, number: 7 }]],
    ['offer.extra.version', ['extra.version', { missing: absent, number: 1 }]],
  ]);

const fields = [...wrong].flatMap(([requirement, [path, values]]) =>
  Object.entries(values).map(([word, value]) =>
    answers(
      `offer-${path.replace('.', '-')}-${word}`,
      value === absent
        ? `leaves \`${path}\` out of its offers`
        : `offers with \`${path}\` ${JSON.stringify(value)}`,
      [requirement],
      offering((offer) => withMember(offer, path, value)),
    ),
  ),
);

/** To who sends a payment that is not taken, something else is offered than was to who sent none. */
const fieldsAfterRefusals = [...wrong].flatMap(([requirement, [path, values]]) =>
  Object.entries(values)
    .slice(-1)
    .map(([, value]) =>
      answers(
        `offer-${path.replace('.', '-')}-wrong-after-a-refusal`,
        `${value === absent ? `leaves \`${path}\` out` : `writes \`${path}\` ${JSON.stringify(value)}`} where it makes its offer to a payment that it refuses`,
        [requirement],
        offering((offer) => withMember(offer, path, value), { when: isPaid }),
      ),
    ),
);

function resource(change: (url: URL) => string) {
  return (offer: Json) => ({ ...offer, resource: change(new URL(String(offer['resource']))) });
}

export const offerMutants: readonly Mutant[] = [
  ...fields,
  ...fieldsAfterRefusals,
  answers(
    'offer-extra-missing',
    'leaves `extra` out of its offers',
    ['offer.extra.name', 'offer.extra.version'],
    offering((offer) => withMember(offer, 'extra', absent)),
  ),
  answers(
    'offer-of-completions-without-scheme',
    'leaves `scheme` out of the offer for text completions alone',
    ['offer.scheme'],
    offering((offer) => withMember(offer, 'scheme', absent), { endpoint: 'completions' }),
  ),
  answers(
    'offer-extra-version-two',
    'offers with a domain version that it does not verify by',
    [
      'offer.extra.version',
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'chat.200.status',
      'completions.200.status',
    ],
    offering((offer) => withMember(offer, 'extra.version', '2')),
  ),
  answers(
    'chat-resource-of-another-path',
    'names another path as the `resource` of a chat',
    ['offer.resource'],
    offering(
      resource((url) => `${url.origin}/v1/chat`),
      { endpoint: 'chat' },
    ),
  ),
  answers(
    'completions-resource-of-another-path',
    'names another path as the `resource` of a text completion',
    ['offer.resource.per-endpoint'],
    offering(
      resource((url) => `${url.origin}/v1/complete`),
      { endpoint: 'completions' },
    ),
  ),
  ...(['chat', 'completions'] as const).map((endpoint) =>
    answers(
      `resource-of-another-path-in-a-refused-${endpoint}`,
      `names another path as \`resource\` where it refuses a payment (${endpoint})`,
      [endpoint === 'chat' ? 'offer.resource' : 'offer.resource.per-endpoint'],
      offering(
        resource((url) => `${url.origin}/v1/another`),
        { endpoint, when: isPaid },
      ),
    ),
  ),
  answers(
    'resource-without-path',
    'names its origin as the `resource` of everything',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => url.origin)),
  ),
  answers(
    'resource-is-a-path',
    'names a path without a host as `resource`',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => url.pathname)),
  ),
  answers(
    'resource-on-another-host',
    'names another host in `resource`',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => `https://inner.example${url.pathname}`)),
  ),
  answers(
    'resource-by-another-scheme',
    'names https in `resource` where it is asked over http',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => `https://${url.host}${url.pathname}`)),
  ),
  answers(
    'resource-missing',
    'leaves `resource` out of its offers',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering((offer) => withMember(offer, 'resource', absent)),
  ),
  answers(
    'resource-of-chat-for-both',
    'names the chat endpoint in the offer for a text completion',
    ['offer.resource.per-endpoint'],
    offering((offer, asked) =>
      endpointOf(asked) === 'completions'
        ? resource((url) => `${url.origin}/v1/chat/completions`)(offer)
        : offer,
    ),
  ),
];
