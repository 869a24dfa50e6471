import { headerNames } from '@paid-inference/contract/constants';
import type { Ask, Context } from '../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../sources/bodies.ts';
import { judgeTransient } from '../sources/judgements.ts';
import { listedModels } from '../sources/sources.ts';
import type { Found } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';

import {
  type Conditions,
  type Credential,
  createControl,
  describeConditions,
  type Extra,
  largeBytes,
  plain,
  requestUnder,
  type Turn,
} from './requests.ts';

/** The values of each condition that a target accepts when all other conditions are usual. */
export type Levels = {
  readonly models: readonly string[];
  readonly types: readonly Conditions['type'][];
  readonly bytes: readonly number[];
  readonly turns: readonly Turn[];
  readonly extras: readonly Extra[];
  readonly credentials: readonly Credential[];
  /** Wrong responses to a single condition. */
  readonly faults: readonly Finding[];
  /** The reason why a value was left out that was neither accepted nor refused. */
  readonly open: string | undefined;
};

/** A request and its wrong response. */
export type Finding = { readonly conditions: Conditions; readonly answered: Answered };

/** Longer lists of models are sampled: the first, the last, and models between them. */
const modelsMax = 16;
const types = ['absent', 'private', 'individual', 'batch'] as const;
const turns = ['result', 'second-round', 'answered'] as const;
const extras = ['stream-false', 'stream-true', 'user-and-metadata', 'common-members'] as const;
const credentials = ['bearer', 'keys', 'from-within'] as const;

/** Extra members for plans with many requests. Each row has the first ones that the target accepts. */
const fewOfExtras: readonly (readonly Extra[])[] = [
  [plain.extra],
  // Streaming has its own code path (D-203).
  ['stream-true', 'stream-false'],
  ['common-members', 'user-and-metadata'],
];

/** The extra members of these plans: none, streaming, and as many members as the target accepts (D-420). */
export function fewExtras({ extras: taken }: Levels): readonly Extra[] {
  return fewOfExtras.flatMap((row) => row.find((extra) => taken.includes(extra)) ?? []);
}

/**
 * Classifies the response to an unpaid valid request. The contract allows a refusal, because it defines neither
 * bounds nor unknown members (§8). It forbids a completion, a request for credentials and a server fault.
 */
export function unpaidResponse(answered: Answered): 'right' | 'refused' | 'transient' | 'wrong' {
  const { status } = answered.outcome;
  if (status === 402) return 'right';
  if (judgeTransient(answered)) return 'transient';
  return status >= 400 && status < 500 && status !== 401 && status !== 403 ? 'refused' : 'wrong';
}

/**
 * The same for a request with credentials: a gateway may refuse headers that the interface does not define
 * (D-146).
 */
export function unpaidResponseUnder({ credential }: Conditions, answered: Answered) {
  const { status } = answered.outcome;
  const isForbidden = status === 401 || status === 403;
  return isForbidden && credential !== plain.credential ? 'refused' : unpaidResponse(answered);
}

/**
 * Tries each value by itself and leaves out refused values. Other checks judge refusals of a single value, and
 * the contract defines neither upper bounds nor unknown members.
 */
export async function acceptedLevels(context: Context): Promise<Levels> {
  const faults: Finding[] = [];
  let open: string | undefined;

  async function isAccepted(request: Ask, conditions: Conditions): Promise<boolean> {
    const answered = await context.ask(request);
    const issue = answered.ok ? judgeTransient(answered.value) : answered.verdict;
    if (issue) open ??= `${issue.reason} (${describeConditions(conditions)})`;
    if (!answered.ok) return false;
    const kind = unpaidResponse(answered.value);
    if (kind === 'wrong') faults.push({ conditions, answered: answered.value });
    return kind === 'right';
  }

  async function isAcceptedUnder(change: Partial<Conditions>, on: readonly PaidEndpoint[]): Promise<boolean> {
    let areAll = true;
    for (const endpoint of on) {
      const conditions = { ...plain, model: context.model, endpoint, ...change };
      areAll = (await isAccepted(requestUnder(conditions), conditions)) && areAll;
    }
    return areAll;
  }

  const acceptedTypes: Conditions['type'][] = [];
  for (const type of types) {
    const responses: Found<Answered>[] = [];
    for (const endpoint of paidEndpointNames)
      responses.push(await context.ask(withType(context, endpoint, type)));
    // Other checks judge refused settlement types.
    if (responses.every((each) => each.ok && each.value.outcome.status === 402)) acceptedTypes.push(type);
  }
  const acceptedBytes: number[] = [];
  for (const bytes of largeBytes) {
    if (acceptedBytes.length === 0 && (await isAcceptedUnder({ bytes }, paidEndpointNames)))
      acceptedBytes.push(bytes);
  }
  const acceptedTurns: Turn[] = [];
  for (const turn of turns) {
    const conditions = { ...plain, model: context.model, endpoint: 'chat', turn } as const;
    if (await isAcceptedUnder({ turn }, ['chat'])) acceptedTurns.push(turn);
    // The target accepts as many messages without a tool, so it refuses the turn itself. A check may already
    // have reported that.
    else if (!isBodyFaultReported(context)) faults.push(...(await refusedBesideControl(context, conditions)));
  }
  const acceptedExtras: Extra[] = [];
  for (const extra of extras)
    if (await isAcceptedUnder({ extra }, paidEndpointNames)) acceptedExtras.push(extra);
  return {
    models: await modelsAsked(context),
    types: acceptedTypes.length > 0 ? acceptedTypes : [plain.type],
    bytes: [plain.bytes, ...acceptedBytes],
    turns: [plain.turn, ...acceptedTurns],
    extras: [plain.extra, ...acceptedExtras],
    credentials: [plain.credential, ...(await acceptedCredentials(context))],
    faults,
    open,
  };
}

/**
 * Credentials that the target ignores in an otherwise usual request. Other checks judge other responses
 * (D-146).
 */
async function acceptedCredentials(context: Context): Promise<readonly Credential[]> {
  const taken: Credential[] = [];
  for (const credential of credentials) {
    const responses: Found<Answered>[] = [];
    for (const endpoint of paidEndpointNames) {
      responses.push(
        await context.ask(requestUnder({ ...plain, model: context.model, endpoint, credential })),
      );
    }
    if (responses.every((each) => each.ok && unpaidResponse(each.value) === 'right')) taken.push(credential);
  }
  return taken;
}

function isBodyFaultReported(context: Context): boolean {
  return context.reported().some(({ requirement }) => requirement.startsWith('body.'));
}

async function refusedBesideControl(context: Context, conditions: Conditions): Promise<readonly Finding[]> {
  const [refused, control] = [
    await context.ask(requestUnder(conditions)),
    await context.ask(createControl(conditions)),
  ];
  const isFault =
    refused.ok &&
    unpaidResponse(refused.value) === 'refused' &&
    control.ok &&
    unpaidResponse(control.value) === 'right';
  return isFault ? [{ conditions, answered: refused.value }] : [];
}

function withType(context: Context, endpoint: PaidEndpoint, type: Conditions['type']): Ask {
  const headers = type === 'absent' ? undefined : { [headerNames.settlementType]: type };
  return validRequest(endpoint, bodyFor(endpoint, context.model), headers);
}

/** The model of all requests, and the other listed models. */
async function modelsAsked(context: Context): Promise<readonly string[]> {
  const listed = await listedModels(context);
  const all = [...new Set([context.model, ...listed])];
  return spread(all, modelsMax);
}

/**
 * Adds a request for each model without a row, by copying rows with another model. Rows with a long body are
 * not copied.
 */
export function forOtherModels<T extends Conditions>(
  rows: readonly T[],
  models: readonly string[],
): readonly T[] {
  const others = models.filter((model) => !rows.some((row) => row.model === model));
  const short = rows.filter(({ bytes }) => bytes === 0);
  return others.flatMap((model, at) => {
    const row = short[at % short.length];
    return row ? [{ ...row, model }] : [];
  });
}

/** At most `count` values: the first, the last, and others at even distances. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all;
  const last = all.length - 1;
  return all.filter((_, index) =>
    new Set(Array.from({ length: count }, (__, at) => Math.round((at * last) / (count - 1)))).has(index),
  );
}

/**
 * Whether the simplest request for a model is accepted at this endpoint. The list of models is not part of the contract. It
 * may have models that one endpoint does not sell, or neither (D-454).
 */
export async function isSold(context: Context, { model, endpoint }: Conditions): Promise<boolean> {
  if (model === context.model) return true;
  const answered = await context.ask(requestUnder({ ...plain, model, endpoint }));
  return !answered.ok || unpaidResponse(answered.value) !== 'refused';
}

/** Whether a target refuses the same request for a reason that the contract allows. */
export async function isLawfullyRefused(context: Context, conditions: Conditions): Promise<boolean> {
  const { model, endpoint, bytes, turn, extra, credential, company } = conditions;
  const isRefused = async (request: Ask) => {
    const answered = await context.ask(request);
    return answered.ok && unpaidResponse(answered.value) === 'refused';
  };
  const isRight = async (request: Ask) => {
    const answered = await context.ask(request);
    return answered.ok && unpaidResponse(answered.value) === 'right';
  };
  const plainly = { ...plain, model, endpoint };
  if (!(await isRight(requestUnder(plainly)))) return !(await isSold(context, conditions));
  // A bound on size or on messages. The bound may depend on the model.
  if ((bytes > 0 || turn !== plain.turn) && (await isRefused(createControl(conditions)))) return true;
  // An unknown member or header, refused only under these conditions.
  if (extra === plain.extra && credential === plain.credential) return false;
  // Such a refusal is the same at each time. A gateway must not refuse a request for an earlier one on its connection.
  const [same, without] = [
    requestUnder(conditions),
    requestUnder({ ...conditions, extra: plain.extra, credential: plain.credential }),
  ];
  const isAlone = company === plain.company;
  const judge = async (request: Ask) => {
    const answered = isAlone
      ? await context.ask(request)
      : (await context.sendTogether([request, requestUnder(plainly)]))[0];
    return answered?.ok === true ? unpaidResponseUnder(conditions, answered.value) : undefined;
  };
  return (await judge(same)) === 'refused' && (await judge(without)) === 'right';
}
