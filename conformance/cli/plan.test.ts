import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { configure } from './configure.ts';
import { createPlan, renderPlan } from './plan.ts';

const key = { CONFORMANCE_KEY: `0x${'44'.repeat(32)}` };
const target = 'http://127.0.0.1:1';
const paying = { profile: 'paid', maxTotal: '9000', maxPerRequest: '2000', timeoutMs: '1000' } as const;

function planned(typed: Partial<Parameters<typeof configure>[1]> = {}) {
  const configured = configure(target, { ...paying, ...typed }, key);
  if (!configured.ok) throw new Error(configured.usage);
  return createPlan(configured.options);
}

const of = (profile: string) => checks.filter((each) => each.profile === profile).length;

describe('a plan without a node', () => {
  it('lists its checks as not applicable, with the reason', () => {
    const plan = planned();
    expect(plan.checks).toHaveLength(of('paid'));
    const printed = renderPlan(plan);
    expect(printed).toContain(
      `Not applicable, because no --chain-rpc was given: ${of('chain')} checks of chain.\n` +
        `Not applicable, because no --ledger-rpc was given: ${of('ledger')} checks of ledger.\n${of('paid')} checks, at most`,
    );
    expect(printed).not.toMatch(/^ {2}(chain|ledger) /m);
  });

  it('has the checks of the other node', () => {
    const plan = planned({ chainRpc: target });
    expect(plan.checks).toHaveLength(of('paid') + of('chain'));
    expect(plan.notApplicable).toHaveLength(of('ledger'));
    expect(renderPlan(plan)).toMatch(/^ {2}chain /m);
  });
});

describe('a base URL', () => {
  it.each(['/v1', '/v1/', '/v1/chat/completions', '/v1/completions'])(
    'with %s is rejected, and the fault names the base URL',
    (path) => {
      expect(configure(`${target}/base${path}`, { timeoutMs: '1000' }, {})).toEqual({
        ok: false,
        usage: `the base URL must not contain /v1, because the suite appends it. Do you mean ${target}/base?`,
      });
    },
  );

  it.each(['', '/', '/base', '/base/v10'])('with %j is accepted', (path) => {
    expect(configure(`${target}${path}`, { timeoutMs: '1000' }, {})).toMatchObject({
      ok: true,
      options: { targetUrl: `${target}${path}`.replace(/\/$/, '') },
    });
  });
});
