import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { BazaarExtension, OperationPrice, PaidResources } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import { describeRules, required, values } from '../testing/rules.ts';

const body = { model: 'alder/alder-mini', prompt: 'Once' };
const info = { input: { type: 'http', method: 'POST', bodyType: 'json', body }, output: { type: 'json' } };
const bazaar = { info, schema: { type: 'object' } };
const asset = 'eip155:84532/erc20:0x0';
const price = { mode: 'dynamic', currency: 'XTS', asset, min: '10', max: '20' };
const resources = { version: 1, resources: ['https://gateway.example/v1/completions'] };

describeRules('D-286 the extension bazaar', BazaarExtension, [
  ...Object.keys(bazaar).map((name) => required(bazaar, name)),
  {
    rule: 'an endpoint takes JSON by POST',
    keeps: [bazaar],
    breaks: ['GET', 'PUT', null].map((method) => ({
      ...bazaar,
      info: { ...info, input: { ...info.input, method } },
    })),
    at: '/info/input/method',
  },
]);

describeRules('D-287 the prices of an operation', OperationPrice, [
  ...Object.keys(price).map((name) => required(price, name)),
  values('min is a whole number of smallest units', price, 'min', ['0', '7'], ['0.5', '-1', 7]),
]);

describeRules('D-287 /.well-known/x402', PaidResources, [
  ...Object.keys(resources).map((name) => required(resources, name)),
  values('version is 1', resources, 'version', [1], [2, '1']),
]);

describe('D-287: the OpenAPI document', () => {
  type Operation = {
    readonly operationId: string;
    readonly security?: readonly unknown[];
    readonly 'x-payment-info'?: object;
    readonly requestBody?: object;
    readonly responses: object;
  };
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  const paid = operations.filter((operation) => 'x-payment-info' in operation);

  it('marks the paid operations, which have a body and a 402', () => {
    expect(paid.map(({ operationId }) => operationId)).toEqual(['createChatCompletion', 'createCompletion']);
    for (const operation of paid) {
      expect(operation['x-payment-info']).toEqual({
        protocols: [{ x402: {} }],
        price: { mode: 'dynamic', currency: 'XTS' },
      });
      expect(operation).not.toHaveProperty('security');
      expect(operation.requestBody).toBeDefined();
      expect(operation.responses).toHaveProperty('402');
    }
  });

  it('says of all others that they need no payment', () => {
    const free = operations.filter((operation) => !paid.includes(operation));
    expect(free.length).toBeGreaterThan(5);
    expect(free.filter(({ security }) => security?.length !== 0)).toEqual([]);
  });

  it('tells agents how to pay', () => {
    expect(document.info['x-guidance']).toContain('X-PAYMENT');
    expect(document.info.description).toContain('402');
  });
});
