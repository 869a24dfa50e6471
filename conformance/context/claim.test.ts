import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { catalogModel } from '../independent/steps.ts';
import { beyondCatalog, chatBody, invalidRequest, openRequest, validRequest } from '../sources/bodies.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged } from '../testing/judged.ts';
import { given } from '../types/found.ts';
import { holds, seen } from '../types/verdict.ts';
import { check, type JudgedId, observation } from './check.ts';
import { type Claim, proveClaim } from './claim.ts';
import type { Ask } from './context.ts';

const path = '/v1/chat/completions';
const valid = chatBody('any/any');
const invalid = { ...valid, temperature: 3 };

function proven(claim: Claim, text: string | undefined, change: { method?: string; path?: string } = {}) {
  return () => proveClaim({ path, method: 'POST', text, claim, level: 'MUST', ...change });
}

describe('a claim about a body', () => {
  it('is proven on the bytes', () => {
    expect(proven('valid', JSON.stringify(valid))).not.toThrow();
    expect(proven('valid', JSON.stringify(invalid))).toThrow('made an invalid body');
    expect(proven('invalid', JSON.stringify(invalid))).not.toThrow();
    expect(proven('invalid', JSON.stringify(valid))).toThrow(
      'invalid body for /v1/chat/completions is valid',
    );
  });

  it.each([
    ['no JSON', '{"model":'],
    ['nothing', undefined],
  ])('finds %s invalid', (_, text) => {
    expect(proven('invalid', text)).not.toThrow();
    expect(proven('valid', text)).toThrow();
  });

  it('that goes beyond the schema is stale once the schema says it too', () => {
    expect(proven({ beyondSchema: 'why' }, JSON.stringify(valid))).not.toThrow();
    expect(proven({ beyondSchema: 'why' }, JSON.stringify(invalid))).toThrow('the schema forbids it');
  });

  it('is not asked for where the contract has no body', () => {
    expect(proven('valid', undefined, { method: 'GET' })).not.toThrow();
    expect(proven('valid', '{}', { path: '/v1/no-such-endpoint' })).not.toThrow();
  });
});

describe('a fault of the suite in what it asks', () => {
  async function outcomeOf(requirement: JudgedId, ask: Ask) {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['free'],
      model: catalogModel,
      checks: [check(requirement, 'asks', (context) => given(context.ask(ask), () => holds()))],
    });
    return { ...report.results[0], exchanges: report.exchanges.length, exitCode: report.exitCode };
  }

  it.each<[string, Ask]>([
    ['a valid request that is invalid', validRequest('chat', invalid)],
    ['an invalid request that is valid', invalidRequest('chat', valid)],
    ['a demand that rests on what is open', openRequest('chat', valid)],
  ])('is %s: it is never sent, and never the fault of the target', async (_, ask) => {
    // One exchange is the engine's own, before any check.
    expect(await outcomeOf('unpaid.chat.402', ask)).toMatchObject({
      outcome: 'error',
      exitCode: 4,
      exchanges: 1,
    });
  });

  it('is nothing of the kind', async () => {
    const model = catalogModel;
    expect(await outcomeOf('unpaid.chat.402', validRequest('chat', { ...valid, model }))).toMatchObject({
      outcome: 'pass',
    });
    await using target = await startFakeTarget();
    const open = observation('unpaid.402.body', 'asks', (context) =>
      given(context.ask(openRequest('chat', invalid)), () => seen('asked')),
    );
    const { results } = await judged(target, { profiles: ['free'], model, checks: [open] });
    expect(results[0]).toMatchObject({ outcome: 'observed' });
  });
});

it('every body that no validator can prove invalid is listed here, with the reason', () => {
  const beyond = checks.filter(({ beyondSchema }) => beyondSchema !== undefined);
  expect(beyond.map(({ requirement, beyondSchema }) => [requirement, beyondSchema])).toEqual([
    ['body.chat.model.in-catalog', beyondCatalog],
    ['body.completions.model.in-catalog', beyondCatalog],
  ]);
});
