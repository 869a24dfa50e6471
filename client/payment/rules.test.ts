import type { PaymentRequirements } from '@paid-inference/contract/types';
import { describe, expect, test } from 'vitest';
import { checkOffer, requireValidRules, type SpendingRules } from './rules.ts';

const asked = new URL('https://gateway.example/v1/chat/completions');
const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: '10000',
  resource: asked.href,
  description: 'Chat completion',
  mimeType: 'application/json',
  payTo: '0x11111111111111111111111111111111111111aA',
  maxTimeoutSeconds: 300,
  asset: '0x22222222222222222222222222222222222222bB',
  extra: { name: 'Test Payment Token', version: '1' },
};
const limits = { amountPerRequestMax: 100_000n, amountTotalMax: 1_000_000n };

function verdict(changes: Partial<PaymentRequirements>, rules: Partial<SpendingRules> = {}): string {
  return checkOffer({ ...offer, ...changes }, asked, { ...limits, ...rules })?.reason ?? 'allowed';
}

describe('The rules allow an offer', () => {
  test('at the price limit, and refuse one unit more', () => {
    expect(verdict({ maxAmountRequired: '100000' })).toBe('allowed');
    expect(verdict({ maxAmountRequired: '100001' })).toBe('price_above_limit');
  });

  test('by comparing prices as integers, not as floats or strings', () => {
    const wide = 2n ** 64n;
    expect(verdict({ maxAmountRequired: String(wide) }, { amountPerRequestMax: wide })).toBe('allowed');
    expect(verdict({ maxAmountRequired: String(wide + 1n) }, { amountPerRequestMax: wide })).toBe(
      'price_above_limit',
    );
    expect(verdict({ maxAmountRequired: '9' }, { amountPerRequestMax: 10n })).toBe('allowed');
  });

  test('with a price of zero', () => {
    expect(verdict({ maxAmountRequired: '0' }, { amountPerRequestMax: 0n })).toBe('allowed');
  });

  test('only on an allowed network', () => {
    expect(verdict({}, { networks: ['eip155:84532'] })).toBe('allowed');
    expect(verdict({}, { networks: ['eip155:1'] })).toBe('network_not_allowed');
    expect(verdict({}, { networks: [] })).toBe('network_not_allowed');
  });

  test('only in an allowed token, in any letter case', () => {
    expect(verdict({}, { assets: [offer.asset.toLowerCase()] })).toBe('allowed');
    expect(verdict({}, { assets: [offer.payTo] })).toBe('asset_not_allowed');
  });

  test('only to an allowed recipient, in any letter case', () => {
    expect(verdict({}, { payTo: [offer.payTo.toLowerCase()] })).toBe('allowed');
    expect(verdict({}, { payTo: [offer.asset] })).toBe('pay_to_not_allowed');
  });

  test('only in the scheme of the contract', () => {
    // The codec rejects other schemes already. The rule does not depend on the codec.
    const upto = Object.assign({ ...offer }, { scheme: 'upto' });
    expect(checkOffer(upto, asked, limits)?.reason).toBe('scheme_not_allowed');
  });
});

describe('The resource of an offer matches the request', () => {
  test('with any query or fragment', () => {
    expect(verdict({ resource: `${asked.href}?a=b#c` })).toBe('allowed');
  });

  test.each([
    ['another path', 'https://gateway.example/v1/completions'],
    ['another host', 'https://elsewhere.example/v1/chat/completions'],
    ['another port', 'https://gateway.example:8443/v1/chat/completions'],
    ['another scheme', 'http://gateway.example/v1/chat/completions'],
    ['a host with the right host as a prefix', 'https://gateway.example.evil.example/v1/chat/completions'],
    ['a host after a user name', 'https://gateway.example@evil.example/v1/chat/completions'],
    ['an invalid URL', 'gateway'],
  ])('but not with %s', (_, resource) => {
    expect(verdict({ resource })).toBe('resource_elsewhere');
  });

  test('with a host that the rules list, on the same path', () => {
    const rules = { resourceHosts: ['public.example', '127.0.0.1:8402'] };
    expect(verdict({ resource: 'https://public.example/v1/chat/completions' }, rules)).toBe('allowed');
    expect(verdict({ resource: 'http://127.0.0.1:8402/v1/chat/completions' }, rules)).toBe('allowed');
    expect(verdict({ resource: 'http://127.0.0.1:8403/v1/chat/completions' }, rules)).toBe(
      'resource_elsewhere',
    );
    expect(verdict({ resource: 'https://public.example/v1/completions' }, rules)).toBe('resource_elsewhere');
  });
});

describe('requireValidRules rejects', () => {
  test.each([
    ['an amount below zero', { amountPerRequestMax: -1n }],
    ['a total below zero', { amountTotalMax: -1n }],
    ['an amount of an hour below zero', { amountPerHourMax: -1n }],
    ['a token that is not an address', { assets: ['0x22'] }],
    ['a recipient that is not an address', { payTo: ['payee'] }],
    ['a host with a scheme', { resourceHosts: ['https://gateway.example'] }],
    ['a host with a path', { resourceHosts: ['gateway.example/v1'] }],
  ])('%s', (_, rules: Partial<SpendingRules>) => {
    expect(() => requireValidRules({ ...limits, ...rules })).toThrow(/^spending rules: /);
  });

  test.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, 5, '5'])(
    'the limit %s, which programs without types can give',
    (limit) => {
      for (const name of ['amountPerRequestMax', 'amountTotalMax', 'amountPerHourMax']) {
        // An hour without a limit is lawful.
        if (name === 'amountPerHourMax' && limit === undefined) continue;
        const rules: SpendingRules = JSON.parse('{}', () => ({ ...limits, [name]: limit }));
        expect(() => requireValidRules(rules)).toThrow(`spending rules: ${name} is no bigint`);
      }
    },
  );

  test('rules that a program without types left out', () => {
    expect(() => requireValidRules(JSON.parse('{}', () => undefined))).toThrow(
      'spending rules: there are none. Give amountPerRequestMax and amountTotalMax',
    );
  });

  test('nothing in valid rules', () => {
    const full = {
      assets: [offer.asset],
      payTo: [offer.payTo],
      resourceHosts: ['gateway.example', '[::1]:80'],
    };
    expect(() => requireValidRules({ ...limits, ...full })).not.toThrow();
  });
});
