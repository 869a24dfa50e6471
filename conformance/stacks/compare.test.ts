import { basename, delimiter, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json } from '../testing/proxy.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import { listWarnings } from './build.ts';
import { compareLine } from './compare.ts';
import { type Exchanges, scenarios } from './scenarios.ts';
import { listMissing } from './stack.ts';

const request = { method: 'POST', path: '/v1/chat/completions', headers: {}, body: '{}' };
const offer = { 'x-payment-required': encodeBase64Json({ maxAmountRequired: '7' }) };
const receipt = { 'x-payment-response': encodeBase64Json({ txHash: '0x1' }) };
const bought: Exchanges = [
  { request, response: json(402, { error: 'X-PAYMENT is missing' }, offer) },
  { request, response: json(200, { choices: [{ message: { content: 'pong' } }] }, receipt) },
];
const line = {
  scenario: 'pay-chat',
  status: 200,
  code: null,
  param: null,
  text: 'pong',
  txHash: '0x1',
};

function compare(id: string, exchanges: Exchanges, printed: unknown): readonly string[] {
  const scenario = scenarios.find((each) => each.id === id);
  if (scenario === undefined) throw new Error(`There is no scenario ${id}`);
  return compareLine(scenario, exchanges, typeof printed === 'string' ? printed : JSON.stringify(printed));
}

describe('The comparison of a line with the exchanges', () => {
  it('accepts a line that says what happened', () => {
    expect(compare('pay-chat', bought, line)).toEqual([]);
  });

  it.each(Object.keys(line))('rejects a line with another %s', (name) => {
    const faults = compare('pay-chat', bought, { ...line, [name]: 'other' });
    expect(faults).toEqual([expect.stringContaining(`${name} is "other", not `)]);
  });

  it('rejects output that is not one line of JSON', () => {
    expect(compare('pay-chat', bought, 'pong')).toEqual([expect.stringContaining('one line of JSON: pong')]);
    expect(compare('pay-chat', bought, `${JSON.stringify(line)}\n${JSON.stringify(line)}`)).toHaveLength(1);
  });

  it('rejects a client that stops at the offer, or sends nothing', () => {
    const unpaid = { ...line, status: 402, text: null, txHash: null };
    expect(compare('pay-chat', bought.slice(0, 1), unpaid)).toContain('The last response is 402, not 200.');
    expect(compare('pay-chat', [], line)).toEqual(['The client sent no request.']);
  });

  it('rejects a purchase at the other endpoint', () => {
    const said = { ...line, scenario: 'pay-text' };
    expect(compare('pay-text', bought, said)).toEqual([
      'The client sent other requests than the scenario asks for.',
    ]);
  });

  it('reads code and parameter of an error, and the price of an offer', () => {
    const error = { message: 'no', type: 'invalid_request_error', code: 'invalid_request', param: 'stop' };
    const refused = { ...line, scenario: 'error-400', status: 400, text: null, txHash: null };
    const exchanges = [{ request, response: json(400, { error }) }];
    const told = { ...refused, code: 'invalid_request', param: 'stop' };
    expect(compare('error-400', exchanges, told)).toEqual([]);
    expect(compare('error-400', exchanges, refused)).toHaveLength(2);
    const offered = { ...refused, scenario: 'error-402-offer', status: 402, text: '7' };
    expect(compare('error-402-offer', bought.slice(0, 1), offered)).toEqual([]);
  });
});

it('A line with a warning fails a step, unless it is explained', () => {
  const output = 'compiled\n[WARNING] unknown format\n0 warnings\nwarn: empty';
  expect(listWarnings(output, {})).toEqual(['[WARNING] unknown format', 'warn: empty']);
  const explained = [{ text: 'unknown format', reason: 'the format is ours' }];
  expect(listWarnings(output, { explained })).toEqual(['warn: empty']);
});

it('A stack lacks the programs of its toolchain that are in no folder of the PATH', () => {
  const path = `/nowhere${delimiter}${dirname(process.execPath)}`;
  expect(listMissing({ needs: [basename(process.execPath), 'no-such-program'] }, path)).toEqual([
    'no-such-program',
  ]);
});
