import { checks, notYetCovered } from '../checks/all.ts';
import type { JudgeOptions } from '../engine/judge.ts';
import { inScope, requestsMaxOf } from '../engine/scope.ts';
import { paymentsMax } from '../payment/budget.ts';
import { counted } from '../report/counted.ts';
import { smallestUnit } from './command.ts';

/** What a run would do at most, without doing it. */
export type Plan = {
  readonly target: string;
  readonly profiles: readonly string[];
  readonly filter: string | null;
  readonly requestsMax: number;
  readonly paymentsMax: number;
  /** In the token's smallest unit, as a decimal string. */
  readonly signedUnitsMax: string;
  readonly checks: readonly {
    readonly requirement: string;
    readonly profile: string;
    readonly title: string;
  }[];
  readonly notYetCovered: readonly string[];
};

export function planOf(options: JudgeOptions): Plan {
  const chosen = checks.filter(({ requirement }) => inScope(options, requirement));
  const isPaying = chosen.some(({ profile }) => profile === 'paid');
  const caps = isPaying ? options.funded?.caps : undefined;
  return {
    target: options.targetUrl,
    profiles: options.profiles,
    filter: options.filter ?? null,
    requestsMax: requestsMaxOf(options),
    paymentsMax: caps ? paymentsMax : 0,
    signedUnitsMax: caps
      ? least(caps.totalUnits, caps.perRequestUnits * BigInt(paymentsMax)).toString()
      : '0',
    checks: chosen.map(({ requirement, profile, title }) => ({ requirement, profile, title })),
    notYetCovered: notYetCovered.filter((id) => inScope(options, id)),
  };
}

export function renderPlan(plan: Plan): string {
  return [
    `Would judge ${plan.target} on ${plan.profiles.join('+')}${plan.filter === null ? '' : `, only ${plan.filter}…`}:`,
    ...plan.checks.map(
      ({ requirement, profile, title }) => `  ${profile.padEnd(6)} ${requirement}  ${title}`,
    ),
    ...plan.notYetCovered.map((id) => `  not yet covered: ${id}`),
    `${counted(plan.checks.length, 'check')}, at most ${counted(plan.requestsMax, 'request')}.`,
    `At most ${counted(plan.paymentsMax, 'payment')} signed, for at most ${plan.signedUnitsMax} of the ${smallestUnit}. Nothing was sent.`,
    '',
  ].join('\n');
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
