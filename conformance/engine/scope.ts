import { type Profile, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import type { NodeUrls } from '../chain/nodes.ts';

export type { Profile, RequirementId };

/** Profiles that `--profile` accepts, in the order in which they run. */
export const profilesInOrder = ['free', 'signed', 'paid', 'limits'] as const satisfies readonly Profile[];
/** The profiles of `all`. `limits` is left out because it exhausts the target's rate limit. */
export const profilesOfAll = ['free', 'signed', 'paid'] as const satisfies readonly Profile[];

/** The most requests that a profile may send, including retries after `Retry-After`. */
export const requestsMaxByProfile = {
  free: 1_000,
  signed: 870,
  paid: 230,
  limits: 1_510,
  chain: 0,
  ledger: 70,
} as const satisfies Record<Profile, number>;

export type Scope = {
  readonly profiles: readonly Profile[];
  /** Only requirements whose id starts with this prefix. */
  readonly filter: string | undefined;
};

export function inScope(scope: Scope, id: RequirementId): boolean {
  return scope.profiles.includes(findProfile(id)) && id.startsWith(scope.filter ?? '');
}

/** The requirements whose checks send the random bodies of seed and path. */
export const randomIds = [
  'robustness.valid-bodies',
  'robustness.invalid-bodies',
] as const satisfies readonly RequirementId[];

export function hasRandomBodies(scope: Scope): boolean {
  return randomIds.some((id) => inScope(scope, id));
}

/** The profile that judges a requirement. Requirements that need a node belong to `paid`. */
export function findProfile(id: RequirementId): (typeof profilesInOrder)[number] {
  const { profile } = requirements[id];
  return profile === 'chain' || profile === 'ledger' ? 'paid' : profile;
}

/** The fault of a scope without requirements; undefined otherwise. An empty run would find nothing wrong. */
export function emptyScopeFault(scope: Scope): string | undefined {
  const ids = Object.keys(requirements) as RequirementId[];
  if (ids.some((id) => inScope(scope, id))) return undefined;
  const profiles = new Set(
    ids.filter((id) => id.startsWith(scope.filter ?? '')).map((id) => findProfile(id)),
  );
  if (profiles.size === 0) return unknownPrefixFault(scope.filter);
  const elsewhere = profilesInOrder.filter((profile) => profiles.has(profile)).join(', ');
  const chosen = scope.profiles.join('+');
  return `no requirement id of ${chosen} starts with "${scope.filter}". Use --profile ${elsewhere}`;
}

/** The fault of a filter that is the start of no requirement id. */
export function unknownPrefixFault(filter: string | undefined): string {
  return `no requirement id starts with "${filter}". Correct --filter`;
}

/** The most requests that a run may send. */
export function countRequestsMax(scope: Scope & NodeUrls): number {
  return profilesJudged(scope).reduce((sum, profile) => sum + requestsMaxByProfile[profile], 1);
}

/** The profiles of a run, with those that its nodes add to paid. */
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
