import { type Profile, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import type { NodeUrls } from '../chain/nodes.ts';

export type { Profile, RequirementId };

/** Profiles that can be named, in the order in which they are run. */
export const profilesInOrder = ['free', 'signed', 'paid', 'limits'] as const satisfies readonly Profile[];
/** What `all` stands for: everything but what provokes the target's limits. */
export const profilesOfAll = ['free', 'signed', 'paid'] as const satisfies readonly Profile[];

/** Requests that a profile may send at most, answers to `Retry-After` included. */
export const requestsMaxByProfile = {
  free: 740,
  signed: 640,
  paid: 160,
  limits: 1_510,
  chain: 0,
  ledger: 70,
} as const satisfies Record<Profile, number>;

export type Scope = {
  readonly profiles: readonly Profile[];
  /** Only requirements whose id starts with this. */
  readonly filter: string | undefined;
};

export function inScope(scope: Scope, id: RequirementId): boolean {
  return scope.profiles.includes(profileOf(id)) && id.startsWith(scope.filter ?? '');
}

/** The profile in which a requirement is judged: what a node shows is of payments, and nothing to it without the node. */
export function profileOf(id: RequirementId): (typeof profilesInOrder)[number] {
  const { profile } = requirements[id];
  return profile === 'chain' || profile === 'ledger' ? 'paid' : profile;
}

/** What to change in a scope that holds nothing to judge: a run over nothing would find nothing wrong. */
export function emptyScopeFault(scope: Scope): string | undefined {
  // The catalogue's keys are its ids.
  const ids = Object.keys(requirements) as RequirementId[];
  if (ids.some((id) => inScope(scope, id))) return undefined;
  const profiles = new Set(ids.filter((id) => id.startsWith(scope.filter ?? '')).map((id) => profileOf(id)));
  if (profiles.size === 0) return `no requirement starts with ${scope.filter}`;
  const elsewhere = profilesInOrder.filter((profile) => profiles.has(profile)).join(', ');
  const chosen = scope.profiles.join('+');
  return `no requirement of ${chosen} starts with ${scope.filter}: --profile ${elsewhere} has such`;
}

/** Requests that a run may send at most. */
export function requestsMaxOf(scope: Scope & NodeUrls): number {
  return profilesJudged(scope).reduce((sum, profile) => sum + requestsMaxByProfile[profile], 1);
}

/** The profiles of a run, with what its nodes add to paid. */
export function profilesJudged({
  profiles,
  chainRpcUrl,
  ledgerRpcUrl,
}: Scope & NodeUrls): readonly Profile[] {
  if (!profiles.includes('paid')) return profiles;
  return [
    ...profiles,
    ...(chainRpcUrl === undefined ? [] : (['chain'] as const)),
    ...(ledgerRpcUrl === undefined ? [] : (['ledger'] as const)),
  ];
}
