import { type Profile, type RequirementId, requirements } from '@paid-inference/contract/requirements';

export type { Profile, RequirementId };

/** Profiles in the order in which they are run. */
export const profilesInOrder = ['free', 'signed', 'paid', 'limits'] as const satisfies readonly Profile[];
/** What `all` stands for: everything but what provokes the target's limits. */
export const profilesOfAll = ['free', 'signed', 'paid'] as const satisfies readonly Profile[];

/** Requests that a profile may send at most, answers to `Retry-After` included. */
export const requestsMaxByProfile = {
  free: 110,
  signed: 50,
  paid: 60,
  limits: 0,
} as const satisfies Record<Profile, number>;

export type Scope = {
  readonly profiles: readonly Profile[];
  /** Only requirements whose id starts with this. */
  readonly filter: string | undefined;
};

export function inScope(scope: Scope, id: RequirementId): boolean {
  return scope.profiles.includes(requirements[id].profile) && id.startsWith(scope.filter ?? '');
}

/** Requests that a run may send at most. */
export function requestsMaxOf(scope: Scope): number {
  return scope.profiles.reduce((sum, profile) => sum + requestsMaxByProfile[profile], 1);
}
