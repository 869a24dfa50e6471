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
  it('is proven on the sent bytes', () => {
    expect(proven('valid', JSON.stringify(valid))).not.toThrow();
    expect(proven('valid', JSON.stringify(invalid))).toThrow('made an invalid body');
    expect(proven('invalid', JSON.stringify(invalid))).not.toThrow();
    expect(proven('invalid', JSON.stringify(valid))).toThrow('made a valid body for /v1/chat/completions');
  });

  it.each([
    ['invalid JSON', '{"model":'],
    ['nothing', undefined],
  ])('finds %s invalid', (_, text) => {
    expect(proven('invalid', text)).not.toThrow();
    expect(proven('valid', text)).toThrow();
  });

  it('beyond the schema fails when the schema also forbids the body', () => {
    expect(proven({ beyondSchema: 'why' }, JSON.stringify(valid))).not.toThrow();
    expect(proven({ beyondSchema: 'why' }, JSON.stringify(invalid))).toThrow('the schema forbids it');
  });

  it('is not checked for requests without a body in the contract', () => {
    expect(proven('valid', undefined, { method: 'GET' })).not.toThrow();
    expect(proven('valid', '{}', { path: '/v1/no-such-endpoint' })).not.toThrow();
  });
});

describe('a request that does not match its claim', () => {
  async function runOutcome(requirement: JudgedId, ask: Ask) {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['free'],
      model: catalogModel,
      checks: [check(requirement, 'asks', (context) => given(context.ask(ask), () => holds()))],
    });
    return { ...report.results[0], exchanges: report.exchanges.length, exitCode: report.exitCode };
  }

  it.each<[string, Ask]>([
    ['an invalid body claimed as valid', validRequest('chat', invalid)],
    ['a valid body claimed as invalid', invalidRequest('chat', valid)],
    ['a MUST that uses an open body', openRequest('chat', valid)],
  ])('is a fault of the suite and is not sent: %s', async (_, ask) => {
    // The engine sends one request before any check.
    expect(await runOutcome('unpaid.chat.402', ask)).toMatchObject({
      outcome: 'error',
      exitCode: 4,
      exchanges: 1,
    });
  });

  it('does not occur in the checks of the suite', async () => {
    const model = catalogModel;
    expect(await runOutcome('unpaid.chat.402', validRequest('chat', { ...valid, model }))).toMatchObject({
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

it('lists every body that no validator can prove invalid, with the reason', () => {
  const beyond = checks.filter(({ beyondSchema }) => beyondSchema !== undefined);
  expect(beyond.map(({ requirement, beyondSchema }) => [requirement, beyondSchema])).toEqual([
    ['body.chat.model.in-catalog', beyondCatalog],
    ['body.completions.model.in-catalog', beyondCatalog],
    // Other spellings of a listed model (D-219, D-434).
    ...Array.from({ length: 6 }, () => ['body.chat.model.in-catalog', beyondCatalog]),
    ...Array.from({ length: 6 }, () => ['body.completions.model.in-catalog', beyondCatalog]),
  ]);
});
