import { unpaidResponse } from '../../conditions/levels.ts';
import { asLongAs } from '../../conditions/requests.ts';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import {
  invalidRequest,
  noEntries,
  type PaidEndpoint,
  paidEndpoints,
  validRequest,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { askInvalid } from '../../sources/order-of-checks.ts';
import { readsBodyFirst } from '../../sources/sources.ts';
import { broken, holds, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';

type Spoil<Twin> = (twin: Twin) => unknown;
/** Changes of one place in a body, by description. A string result is sent unchanged, anything else as JSON. */
export type Spoils<Twin> = Readonly<Record<string, Spoil<Twin>>>;

type Rejection<Twin> = {
  readonly endpoint: PaidEndpoint;
  /** The valid body. Each invalid body differs from it in one place. */
  readonly twin: (model: string) => Twin;
  /** Each change is sent by itself, and named in the finding if the body was not refused. */
  readonly spoils: Spoils<Twin>;
  /** Valid statuses for the refusal, if the contract allows others than 400. */
  readonly statuses?: readonly number[];
  /** The reason why the contract forbids bodies that its schema allows. */
  readonly beyondSchema?: string;
  /** The valid body may be above a limit of the deployment, because the contract shows no limits (§8). */
  readonly isBounded?: true;
};

/**
 * Checks that each invalid body gets 400 while its valid twin gets 402, so that the refusal is for the tested
 * fault. If the deployment returns 402 before it reads the body, or refuses the twin too, the check is
 * inconclusive.
 */
export function rejects<Twin>(requirement: JudgedId, title: string, rejection: Rejection<Twin>): Check {
  const { endpoint, twin, spoils, beyondSchema, isBounded, statuses = [400] } = rejection;
  const judged = check(requirement, title, async (context) => {
    const readsFirst = await readsBodyFirst(context, endpoint);
    if (!readsFirst.ok) return readsFirst.verdict;
    const control = await context.ask(validRequest(endpoint, twin(context.model)));
    if (!control.ok) return control.verdict;
    if (isBounded && unpaidResponse(control.value) === 'refused') {
      return notApplicable(`the deployment refuses a valid body of this size: ${describe(control.value)}`);
    }
    if (control.value.outcome.status !== 402) {
      return unknown(
        `the suite sent a valid body for comparison, which got ${describe(control.value)} instead of 402`,
      );
    }
    const taken: string[] = [];
    let open: Judgement | undefined;
    for (const [name, spoil] of Object.entries(spoils)) {
      const invalid = invalidRequest(endpoint, spoil(twin(context.model)));
      const request: Ask = beyondSchema === undefined ? invalid : { ...invalid, claim: { beyondSchema } };
      const answered = await askInvalid(context, endpoint, request);
      const shown = answered.ok ? judgeTransient(answered.value) : answered.verdict;
      open ??= shown;
      if (!answered.ok || shown || statuses.includes(answered.value.outcome.status)) continue;
      taken.push(`${describe(answered.value)} for ${name}`);
    }
    if (taken.length > 0) {
      return broken(`status ${statuses.join(', ')} for an invalid body`, taken.join('; '));
    }
    return open ?? holds();
  });
  return beyondSchema === undefined ? judged : { ...judged, beyondSchema };
}

type Loose = Readonly<Record<string, unknown>>;

/** Replaces a member by each of the values; the keys describe the values. */
export function putting(member: string, values: Loose): Spoils<object> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, Spoil<object>] => [
      `\`${member}\` as ${name}`,
      (object) => ({ ...object, [member]: value }),
    ]),
  );
}

/**
 * The model is invalid (§1), but the contract names no status for it (§7), so any refusal of an invalid request
 * will do.
 */
export const refusalsOfModel = [400, 404, 422] as const;

/** Replaces the model by models that no catalog contains. */
export const strangeModels: Spoils<{ readonly model: string }> = Object.fromEntries(
  Object.entries(noEntries).map(([name, strange]): [string, Spoil<{ readonly model: string }>] => [
    `\`model\` as ${name}`,
    (body) => ({ ...body, model: strange(body.model) }),
  ]),
);

/** Removes a member from an object. */
export function lacking(member: string): Spoils<object> {
  return {
    [`no \`${member}\``]: (object) =>
      Object.fromEntries(Object.entries(object).filter(([name]) => name !== member)),
  };
}

/** Applies faults of a part to the whole body. */
export function within<Body>(
  place: string,
  change: (body: Body, spoil: Spoil<object>) => unknown,
  spoils: Spoils<object>,
): Spoils<Body> {
  return Object.fromEntries(
    Object.entries(spoils).map(([name, spoil]): [string, Spoil<Body>] => [
      `${name} ${place}`,
      (body) => change(body, spoil),
    ]),
  );
}

type Acceptance = {
  /** Default: chat. */
  readonly endpoint?: PaidEndpoint;
  /** A valid body without the tested feature. */
  readonly twin: (model: string) => unknown;
  /** A string is sent unchanged, anything else as JSON. */
  readonly bodies: (model: string) => readonly unknown[];
};

/**
 * Checks that a valid body gets 402, which an unpaid request shows. If its twin without the tested feature is
 * refused too, the check is inconclusive.
 */
export function accepts(
  requirement: JudgedId,
  title: string,
  { endpoint = 'chat', twin, bodies }: Acceptance,
): Check {
  return check(requirement, title, async (context) => {
    const readsFirst = await readsBodyFirst(context, endpoint);
    if (!readsFirst.ok) return readsFirst.verdict;
    const control = await context.ask(validRequest(endpoint, twin(context.model)));
    if (!control.ok) return control.verdict;
    if (control.value.outcome.status !== 402) {
      return unknown(
        `the suite sent a body without the tested feature for comparison, which got ${describe(control.value)} instead of 402`,
      );
    }
    let isBound = false;
    for (const body of bodies(context.model)) {
      const { path } = paidEndpoints[endpoint];
      const request = typeof body === 'string' ? { path, text: body } : validRequest(endpoint, body);
      const answered = await context.ask(request);
      if (!answered.ok) return answered.verdict;
      if (answered.value.outcome.status === 402) continue;
      const passed = judgeTransient(answered.value);
      if (passed) return passed;
      if (!(await isTooLong(context, request, validRequest(endpoint, twin(context.model))))) {
        return broken('402 for a valid body', describe(answered.value));
      }
      isBound = true;
    }
    return isBound
      ? notApplicable('the deployment also refuses a simpler body of the same size, so it has a size limit')
      : holds();
  });
}

/** Whether the twin, padded to the same length, is refused too. The contract defines no bound on size (§8). */
async function isTooLong(context: Context, request: Ask, twin: Ask): Promise<boolean> {
  const padded = await context.ask(asLongAs(request, twin));
  return padded.ok && unpaidResponse(padded.value) === 'refused';
}

/** Sends several bodies and describes the responses. */
export async function describeResponses(
  context: Context,
  requests: readonly Ask[],
): Promise<readonly string[]> {
  const responses: string[] = [];
  for (const request of requests) {
    const answered = await context.ask(request);
    responses.push(answered.ok ? describe(answered.value) : answered.verdict.reason);
  }
  return responses;
}
