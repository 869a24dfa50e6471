import { checks } from '../checks/all.ts';
import type { Check } from '../context/check.ts';
import { chooseRate, deadlineSecondsDefault } from '../engine/judge.ts';
import { countRequestsMax, findProfile, inScope, type Profile } from '../engine/scope.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { counted } from '../report/counted.ts';
import type { Configuration } from './configuration.ts';

import { smallestUnit } from './unit.ts';

/** The most that a run would send and sign. */
export type Plan = {
  readonly target: string;
  readonly profiles: readonly string[];
  readonly filter: string | null;
  readonly requestsMax: number;
  readonly paymentsMax: number;
  /** In the token's smallest unit, as a decimal string. */
  readonly signedUnitsMax: string;
  /** Null if nothing is signed. */
  readonly journal: string | null;
  /** Null if the rate is unlimited. */
  readonly requestsPerSecondMax: number | null;
  readonly deadlineSeconds: number;
  readonly checks: readonly PlannedCheck[];
  /** Checks in scope that need a node for which no option was given. */
  readonly notApplicable: readonly (PlannedCheck & { readonly reason: string })[];
};

type PlannedCheck = Pick<Check, 'requirement' | 'profile' | 'title'>;

export function createPlan(options: Configuration): Plan {
  const chosen = checks
    .filter(({ requirement }) => inScope(options, requirement))
    .map(({ requirement, profile, title }) => ({ requirement, profile, title }));
  const isPaying = chosen.some(({ requirement }) => findProfile(requirement) === 'paid');
  const caps = isPaying ? options.funded?.caps : undefined;
  const paymentsMax = caps ? (caps.payments ?? paymentsMaxDefault) : 0;
  return {
    target: options.targetUrl,
    profiles: options.profiles,
    filter: options.filter ?? null,
    requestsMax: countRequestsMax(options),
    paymentsMax,
    signedUnitsMax: caps
      ? least(caps.totalUnits, caps.perRequestUnits * BigInt(paymentsMax)).toString()
      : '0',
    journal: caps && options.funded ? options.funded.journalFile : null,
    requestsPerSecondMax: chooseRate(options) ?? null,
    deadlineSeconds: options.deadlineSeconds ?? deadlineSecondsDefault,
    checks: chosen.filter(({ profile }) => nodeMissing(profile, options) === undefined),
    notApplicable: chosen.flatMap((planned) => {
      const reason = nodeMissing(planned.profile, options);
      return reason === undefined ? [] : [{ ...planned, reason }];
    }),
  };
}

/** Names the missing node option of a check of payments or proofs; undefined if none is missing. */
function nodeMissing(profile: Profile, { chainRpcUrl, ledgerRpcUrl }: Configuration): string | undefined {
  if (profile === 'chain' && chainRpcUrl === undefined) return 'no --chain-rpc was given';
  return profile === 'ledger' && ledgerRpcUrl === undefined ? 'no --ledger-rpc was given' : undefined;
}

export function renderPlan(plan: Plan): string {
  return [
    `Would test ${plan.target} with the profiles ${plan.profiles.join('+')}${plan.filter === null ? '' : `, only ${plan.filter}…`}:`,
    ...plan.checks.map(
      ({ requirement, profile, title }) => `  ${profile.padEnd(6)} ${requirement}  ${title}`,
    ),
    ...[...Map.groupBy(plan.notApplicable, ({ reason }) => reason)].map(
      ([reason, all]) =>
        `Not applicable, because ${reason}: ${counted(all.length, 'check')} of ${all[0]?.profile}.`,
    ),
    `${counted(plan.checks.length, 'check')}, at most ${counted(plan.requestsMax, 'request')}${plan.requestsPerSecondMax === null ? '' : `, ${plan.requestsPerSecondMax} per second`}, for at most ${plan.deadlineSeconds} s.`,
    ...(plan.journal === null
      ? []
      : [`Each payment would be recorded in ${plan.journal} before it is signed.`]),
    `Would sign at most ${counted(plan.paymentsMax, 'payment')}, for at most ${plan.signedUnitsMax} of the ${smallestUnit}. Nothing was sent, and no report was written.`,
    '',
  ].join('\n');
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
