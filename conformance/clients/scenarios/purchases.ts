import { priceMaxUnits } from '../purchase.ts';
import { buys, refuses, whenStreamed } from '../rules.ts';
import type { Scenario } from '../scenario.ts';

export const plainScenario = 'plain';

/** Gateways that do everything right. A client must not refuse what it should buy. */
export const purchases: readonly Scenario[] = [
  {
    id: plainScenario,
    gateway: 'sells a completion',
    requirements: [
      {
        id: 'buys.plain',
        level: 'MUST',
        title: 'The client buys a completion with one payment.',
        source: 'contract §4.4',
        judge: buys,
      },
    ],
  },
  {
    id: 'price-at-cap',
    gateway: 'asks for exactly the highest price that the client may pay',
    offer: (honest) => ({ ...honest, maxAmountRequired: priceMaxUnits }),
    requirements: [
      {
        id: 'buys.at-cap',
        level: 'MUST',
        title: 'The client pays a price that equals its cap.',
        source: 'contract §2.9: "at most `maxAmountRequired`"',
        judge: buys,
      },
    ],
  },
  {
    id: 'two-purchases',
    gateway: 'sells two completions to two runs of the command',
    purchases: 2,
    requirements: [
      {
        id: 'buys.twice',
        level: 'MUST',
        title: 'Two purchases are two payments with two nonces.',
        source: 'contract §4.4: "a fresh 32-byte `nonce`"',
        judge: buys,
      },
    ],
  },
  {
    id: 'stream',
    gateway: 'sells a completion as a stream',
    isStreamed: true,
    requirements: [
      {
        id: 'buys.stream',
        level: 'MUST',
        title: 'The client buys a streamed completion with one payment.',
        source: 'contract §4.4; OpenAI: `stream`',
        judge: whenStreamed(buys),
      },
    ],
  },
  {
    id: 'free',
    gateway: 'serves the completion without a payment',
    isFree: true,
    requirements: [
      {
        id: 'refuses.unasked',
        level: 'MUST',
        title: 'The client signs nothing if the gateway asks for no payment.',
        source: 'contract §4.4: the payment follows a 402',
        judge: refuses('no signature'),
      },
    ],
  },
];
