import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isObject } from '../independent/body-rules.ts';
import type { Behaviour, Step } from '../independent/steps.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

const sound = ['body', 'payment', 'signature', 'terms', 'balance'] as const satisfies readonly Step[];
/** What needs a payment comes after it. */
const orders: readonly (readonly Step[])[] = [
  sound,
  ['payment', 'balance', 'signature', 'body', 'terms'],
  ['body', 'payment', 'balance', 'terms', 'signature'],
  ['payment', 'signature', 'terms', 'balance', 'body'],
];

type Order = Behaviour['order'];

function orderNumbered(number: number): readonly Step[] {
  return orders[number % orders.length] ?? sound;
}

/** An order by chance for each request; the same seed gives the same. */
function byChance(seed: number): Order {
  let requests = 0;
  return () => {
    requests += 1;
    return orderNumbered(firstByteOf(`${seed} ${requests}`));
  };
}

const byBody: Order = (text) => orderNumbered(firstByteOf(text));

/** Two versions, of which the second takes over after so many requests. */
function replacedAfter(count: number): Order {
  let requests = 0;
  return () => {
    requests += 1;
    return orderNumbered(requests > count ? 1 : 0);
  };
}

function firstByteOf(text: string): number {
  return createHash('sha256').update(text).digest()[0] ?? 0;
}

async function reportOn(order: Order, change: Change = () => ({}), profiles = ['free', 'signed', 'paid']) {
  await using target = await startFakeTarget((steps) => ({ ...change(steps), order }));
  return await judged(target, { profiles: profiles as ('free' | 'signed' | 'paid')[] });
}

/** Takes a word for the temperature of a chat. */
function heatless(bodyFault: Behaviour['bodyFault']): Behaviour['bodyFault'] {
  return (endpoint, body) =>
    endpoint === 'chat' && isObject(body) && body['temperature'] === 'hot'
      ? undefined
      : bodyFault(endpoint, body);
}

const retryAfter = { timeout: 120_000 };

describe('contract 3, 7: the order of checks may change from request to request (D-152)', () => {
  it.each([1, 2])(
    'by chance: nothing is held against it, and nothing is left open (seed %i)',
    retryAfter,
    async (seed) => {
      const report = await reportOn(byChance(seed));
      expect(idsOf(report, 'fail', 'warn', 'inconclusive')).toEqual([]);
    },
  );

  it('by the body: nothing is held against it', retryAfter, async () => {
    expect(idsOf(await reportOn(byBody), 'fail', 'warn')).toEqual([]);
  });

  it('by chance, without a funded key: nothing is held against it', retryAfter, async () => {
    expect(idsOf(await reportOn(byChance(4), undefined, ['free', 'signed']), 'fail', 'warn')).toEqual([]);
  });

  it.each([200, 400])('once, after %i requests: nothing is held against it', retryAfter, async (count) => {
    expect(idsOf(await reportOn(replacedAfter(count)), 'fail', 'warn')).toEqual([]);
  });

  it('passes no rule that is never applied', retryAfter, async () => {
    const change: Change = ({ bodyFault, isSigned }) => ({
      bodyFault: heatless(bodyFault),
      isSigned: (payment, offer) => payment.signature === '' || isSigned(payment, offer),
    });
    const report = await reportOn(byChance(5), change, ['free', 'signed']);
    const open = idsOf(report, 'inconclusive');
    expect(open).toContain('body.chat.temperature.number');
    expect(open).toContain('signature.missing');
    expect(idsOf(report, 'fail')).toEqual([]);
  });
});

it('fails a rule that is never applied where the order is the same each time', retryAfter, async () => {
  const change: Change = ({ bodyFault }) => ({ bodyFault: heatless(bodyFault) });
  const report = await reportOn(() => sound, change, ['free']);
  expect(idsOf(report, 'fail')).toEqual(['body.chat.temperature.number']);
});
