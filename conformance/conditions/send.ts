import type { Ask, Context } from '../context/context.ts';
import { bodyFor, validRequest } from '../sources/bodies.ts';
import { judgeTransient } from '../sources/judgements.ts';
import { demanding, unpaid } from '../sources/sources.ts';
import { type Found, found, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';

import type { Conditions } from './requests.ts';

/** A request and the conditions under which it is sent. */
export type Planned<T> = {
  readonly conditions: Conditions;
  /** A function if the request needs a new offer: the suite calls it just before sending. */
  readonly request: Ask | (() => Promise<Found<Ask>>);
  readonly of: T;
};

/** How many requests are sent at the same time. */
const togetherMax = 4;
/** Wrong responses after which the suite stops a plan. */
export const findingsMax = 3;

/**
 * Sends each request under its conditions: alone, on the kept connection, or concurrently. Calls `judge` with
 * each response until `judge` returns `enough`. After a server fault or a missing response, a plain request
 * must get the same status as before; otherwise the function stops and returns the reason.
 */
export async function sendPlan<T>(
  context: Context,
  plan: readonly Planned<T>[],
  judge: (planned: Planned<T>, answered: Found<Answered>) => Promise<'go on' | 'enough'>,
): Promise<string | undefined> {
  const kept = plan.filter(({ conditions }) => conditions.connection === 'kept');
  const together = plan.filter(({ conditions }) => conditions.company === 'together');
  const alone = plan.filter((each) => !kept.includes(each) && !together.includes(each));
  const groups = [...alone, ...kept].map((each) => [each]);
  for (let at = 0; at < together.length; at += togetherMax) groups.push(together.slice(at, at + togetherMax));
  // Opens the connection, so that every request of the plan reuses it.
  if (kept.length > 0) await context.send({ ...plainRequest(context), isOnKeptConnection: true });
  for (const group of groups) {
    const responses = await sendGroup(context, group);
    let isWell = true;
    for (const [index, planned] of group.entries()) {
      const answered = responses[index] ?? missing('the request was not sent');
      isWell &&= answered.ok && answered.value.outcome.status < 500;
      if ((await judge(planned, answered)) === 'enough') return undefined;
    }
    const issue = isWell ? undefined : await findIssue(context);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

async function sendGroup<T>(
  context: Context,
  group: readonly Planned<T>[],
): Promise<readonly Found<Answered>[]> {
  const made: Found<Ask>[] = [];
  for (const { request } of group) {
    made.push(typeof request === 'function' ? await request() : found(request));
  }
  const ready = made.flatMap((request) => (request.ok ? [request.value] : []));
  const responses = await sendReady(context, ready, group[0]?.conditions.company === 'together');
  return made.map((request) =>
    request.ok ? (responses.shift() ?? missing('the request was not sent')) : request,
  );
}

async function sendReady(
  context: Context,
  requests: readonly Ask[],
  areTogether: boolean,
): Promise<Found<Answered>[]> {
  const responses: Found<Answered>[] = [];
  // A single request gets a plain request as company.
  const beside = requests.length === 1 ? [plainRequest(context)] : [];
  const sent = areTogether ? await context.sendTogether([...requests, ...beside]) : [];
  for (const [index, request] of requests.entries()) {
    const answered = sent[index];
    // A target with a limit on concurrent requests may serve the rest later (§8).
    const isOver = answered !== undefined && !(answered.ok && judgeTransient(answered.value));
    responses.push(isOver ? answered : await context.send(request));
  }
  return responses;
}

/**
 * After a server fault, a plain request must get the same status as before. This distinguishes requests that
 * cause a fault from a target that is down.
 */
export async function issueAfter(context: Context, { outcome }: Answered): Promise<string | undefined> {
  return outcome.status < 500 ? undefined : findIssue(context);
}

async function findIssue(context: Context): Promise<string | undefined> {
  const before = await unpaid(context, 'chat');
  const after = await context.send(plainRequest(context));
  const isSame = before.ok && after.ok && before.value.outcome.status === after.value.outcome.status;
  return isSame ? undefined : 'a plain request no longer got its earlier status';
}

function plainRequest(context: Context): Ask {
  return validRequest('chat', bodyFor('chat', context.model));
}

/**
 * Asks for an offer. A request that gets none on a reused connection is sent again on another one: if only the connection
 * is at fault, a check of repeated requests sees it (D-446).
 */
export async function askOnAnyConnection(context: Context, request: Ask): Promise<Found<Answered>> {
  const { isOnKeptConnection, ...onAnother } = request;
  const first = await context.send(request);
  const isRefused = isOnKeptConnection && first.ok && !demanding(first.value).ok;
  return isRefused ? context.send(onAnother) : first;
}
