import type { Context } from '../../context/context.ts';
import { openRequest, type PaidEndpoint } from '../../sources/bodies.ts';
import { readsBodyFirst } from '../../sources/sources.ts';
import { type Observation, seen } from '../../types/verdict.ts';
import { describeResponses } from './rejects.ts';

/** Observes the responses to bodies whose validity the contract leaves open. `bodies` has them by name. */
export async function observes(
  context: Context,
  endpoint: PaidEndpoint,
  bodies: Readonly<Record<string, unknown>>,
): Promise<Observation> {
  const readsFirst = await readsBodyFirst(context, endpoint);
  if (!readsFirst.ok) return readsFirst.verdict;
  const requests = Object.values(bodies).map((body) => openRequest(endpoint, body));
  const responses = await describeResponses(context, requests);
  const names = Object.keys(bodies);
  return seen(names.map((name, at) => `${name}: ${responses[at]}`).join('; '));
}

/** The body with null for each of the members in turn. */
export function nullsFor(body: object, ...members: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map((member) => [`\`${member}\``, { ...body, [member]: null }]));
}
