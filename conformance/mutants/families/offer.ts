import type { RequirementId } from '@paid-inference/contract/requirements';
import { offering } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { offeringInVersion2 } from '../offer-of-v2.ts';
import { isBeyondBounds, pricing } from '../pricing.ts';
import { absent, findEndpoint, isPaid, type Json, withMember } from '../wire-edits.ts';

const other = `0x${'07'.repeat(20)}`;

/** Invalid values of each field of the offer (contract 2.8). The key of a value is part of its mutant's id. */
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
    [
      'offer.payTo',
      ['payTo', { missing: absent, zero: `0x${'00'.repeat(20)}`, name: 'merchant.example', short: '0x1b1b' }],
    ],
    ['offer.maxTimeoutSeconds', ['maxTimeoutSeconds', { missing: absent, string: '300', fraction: 299.5 }]],
    ['offer.asset', ['asset', { missing: absent, zero: `0x${'00'.repeat(20)}`, symbol: 'TPT' }]],
    ['offer.extra.name', ['extra.name', { missing: absent, number: 7 }]],
    ['offer.extra.version', ['extra.version', { missing: absent, number: 1 }]],
  ]);

const fields = [...wrong].flatMap(([requirement, [path, values]]) =>
  Object.entries(values).map(([word, value]) =>
    responds(
      `offer-${path.replace('.', '-')}-${word}`,
      value === absent
        ? `omits \`${path}\` from its offers`
        : `sets \`${path}\` to ${JSON.stringify(value)} in its offers`,
      [requirement],
      offering((offer) => withMember(offer, path, value)),
    ),
  ),
);

/** Gateways that accept any number of tokens, and whose amounts overflow. */
const overflowing = [
  [
    'prices-of-32-bits',
    'counts amounts in 32 bits, so that some are negative',
    (tokens: number) =>
      tokens >= 2_000_000_000 && Number.isSafeInteger(tokens) ? `${(tokens * 10) | 0}` : undefined,
  ],
  [
    'prices-in-floating-point',
    'offers the amount Infinity for a number of tokens with 401 digits',
    (tokens: number) => (isBeyondBounds(tokens) ? `${tokens * 10}` : undefined),
  ],
] as const;

/** Mutants whose offer is wrong only in the 402 response to a refused payment. */
const fieldsAfterRefusals = [...wrong].flatMap(([requirement, [path, values]]) =>
  Object.entries(values)
    .slice(-1)
    .map(([, value]) =>
      responds(
        `offer-${path.replace('.', '-')}-wrong-after-a-refusal`,
        `${value === absent ? `omits \`${path}\` from` : `sets \`${path}\` to ${JSON.stringify(value)} in`} the offer after a refused payment`,
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
  ...overflowing.map(
    ([id, does, amountFor]): Mutant => ({
      id,
      does,
      place: 'respond',
      kills: ['offer.maxAmountRequired'],
      edge: () => pricing(amountFor),
    }),
  ),
  ...fieldsAfterRefusals,
  responds(
    'offer-extra-missing',
    'omits `extra` from its offers',
    ['offer.extra.name', 'offer.extra.version'],
    offering((offer) => withMember(offer, 'extra', absent)),
  ),
  responds(
    'offer-of-completions-without-scheme',
    'omits `scheme` from its offers for text completions',
    ['offer.scheme'],
    offering((offer) => withMember(offer, 'scheme', absent), { endpoint: 'completions' }),
  ),
  responds(
    'offer-extra-version-two',
    'sets `extra.version` to "2" in its offers, but verifies signatures for another version',
    [
      'offer.extra.version',
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'chat.200.status',
      'completions.200.status',
    ],
    offering((offer) => withMember(offer, 'extra.version', '2')),
  ),
  responds(
    'chat-resource-of-another-path',
    'sets `resource` to another path in its offers for chats',
    ['offer.resource'],
    offering(
      resource((url) => `${url.origin}/v1/chat`),
      { endpoint: 'chat' },
    ),
  ),
  responds(
    'completions-resource-of-another-path',
    'sets `resource` to another path in its offers for text completions',
    ['offer.resource.per-endpoint'],
    offering(
      resource((url) => `${url.origin}/v1/complete`),
      { endpoint: 'completions' },
    ),
  ),
  ...(['chat', 'completions'] as const).map((endpoint) =>
    responds(
      `resource-of-another-path-in-a-refused-${endpoint}`,
      `sets \`resource\` to another path in the offer after a refused payment (${endpoint})`,
      [endpoint === 'chat' ? 'offer.resource' : 'offer.resource.per-endpoint'],
      offering(
        resource((url) => `${url.origin}/v1/another`),
        { endpoint, when: isPaid },
      ),
    ),
  ),
  responds(
    'resource-without-path',
    'sets `resource` to its origin without a path',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => url.origin)),
  ),
  responds(
    'resource-is-a-path',
    'sets `resource` to a path without a host',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => url.pathname)),
  ),
  responds(
    'resource-on-another-host',
    'sets `resource` to a URL of another host',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => `https://inner.example${url.pathname}`)),
  ),
  responds(
    'resource-by-another-scheme',
    'sets `resource` to an https URL although the request came over http',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering(resource((url) => `https://${url.host}${url.pathname}`)),
  ),
  responds(
    'resource-missing',
    'omits `resource` from its offers',
    ['offer.resource', 'offer.resource.per-endpoint'],
    offering((offer) => withMember(offer, 'resource', absent)),
  ),
  responds(
    'resource-of-chat-for-both',
    'sets `resource` to the chat endpoint in its offers for text completions',
    ['offer.resource.per-endpoint'],
    offering((offer, asked) =>
      findEndpoint(asked) === 'completions'
        ? resource((url) => `${url.origin}/v1/chat/completions`)(offer)
        : offer,
    ),
  ),
  ...(
    [
      [
        'a-price-of-its-own',
        'asks for ten times the price',
        (own) => ({ ...own, amount: `${own['amount']}0` }),
      ],
      ['another-recipient', 'names another recipient', (own) => ({ ...own, payTo: other })],
      ['another-token', 'names another token', (own) => ({ ...own, asset: other })],
    ] as const satisfies readonly (readonly [string, string, (own: Json) => Json])[]
  ).map(
    ([id, does, change]): Mutant => ({
      id: `v2-with-${id}`,
      does: `${does} in its offers of x402 v2`,
      place: 'respond',
      kills: ['offer.same-in-v2'],
      edge: () => offeringInVersion2((own) => [change(own)]),
    }),
  ),
];
