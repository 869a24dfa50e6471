import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { configure } from './configure.ts';
import { planOf, renderPlan } from './plan.ts';

const key = { CONFORMANCE_KEY: `0x${'44'.repeat(32)}` };
const target = 'http://127.0.0.1:1';
const paying = { profile: 'paid', maxTotal: '9000', maxPerRequest: '2000', timeoutMs: '1000' } as const;

function planned(typed: Partial<Parameters<typeof configure>[1]> = {}) {
  const configured = configure(target, { ...paying, ...typed }, key);
  if (!configured.ok) throw new Error(configured.usage);
  return planOf(configured.options);
}

const of = (profile: string) => checks.filter((each) => each.profile === profile).length;

describe('a plan without a node', () => {
  it('has no check of it, and says why', () => {
    const plan = planned();
    expect(plan.checks).toHaveLength(of('paid'));
    const printed = renderPlan(plan);
    expect(printed).toContain(
      `Not applicable, since no --chain-rpc was given: ${of('chain')} checks of chain.\n` +
        `Not applicable, since no --ledger-rpc was given: ${of('ledger')} checks of ledger.\n${of('paid')} checks, at most`,
    );
    expect(printed).not.toMatch(/^ {2}(chain|ledger) /m);
  });

  it('has those of the other', () => {
    const plan = planned({ chainRpc: target });
    expect(plan.checks).toHaveLength(of('paid') + of('chain'));
    expect(plan.notApplicable).toHaveLength(of('ledger'));
    expect(renderPlan(plan)).toMatch(/^ {2}chain /m);
  });
});

describe('a base URL', () => {
  it.each(['/v1', '/v1/', '/v1/chat/completions', '/v1/completions'])(
    'with %s is not used: the base is named',
    (path) => {
      expect(configure(`${target}/base${path}`, { timeoutMs: '1000' }, {})).toEqual({
        ok: false,
        usage: `/v1 is part of the paths that the suite asks for, and not of the base URL: is ${target}/base meant?`,
      });
    },
  );

  it.each(['', '/', '/base', '/base/v10'])('with %j is', (path) => {
    expect(configure(`${target}${path}`, { timeoutMs: '1000' }, {})).toMatchObject({
      ok: true,
      options: { targetUrl: `${target}${path}`.replace(/\/$/, '') },
    });
  });
});
