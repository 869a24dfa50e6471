import { unpaidAnswer } from '../../conditions/levels.ts';
import { asLongAs } from '../../conditions/requests.ts';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import { invalidRequest, noEntries, type PaidEndpoint, validRequest } from '../../sources/bodies.ts';
import { describe, passing } from '../../sources/judgements.ts';
import { askInvalid } from '../../sources/order-of-checks.ts';
import { readsBodyFirst } from '../../sources/sources.ts';
import { broken, holds, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';

type Spoil<Twin> = (twin: Twin) => unknown;
/** Changes of one place, by what each makes of it. A string is sent as it stands, anything else as JSON. */
export type Spoils<Twin> = Readonly<Record<string, Spoil<Twin>>>;

type Rejection<Twin> = {
  readonly endpoint: PaidEndpoint;
  /** The valid body that each invalid one differs from in one place. */
  readonly twin: (model: string) => Twin;
  /** Each is tried by itself, and named where it was not refused. */
  readonly spoils: Spoils<Twin>;
  /** How they may be refused, where the contract does not say 400 and nothing else. */
  readonly statuses?: readonly number[];
  /** Why the contract forbids bodies that its schema allows, so that its validator cannot prove it. */
  readonly beyondSchema?: string;
};

/**
 * An invalid body is answered 400, and its valid twin 402: rejected for the right reason, or not at all. Where the
 * deployment asks for payment first, or the twin is not accepted either, the rule shows nothing.
 */
export function rejects<Twin>(requirement: JudgedId, title: string, rejection: Rejection<Twin>): Check {
  const { endpoint, twin, spoils, beyondSchema, statuses = [400] } = rejection;
  const judged = check(requirement, title, async (context) => {
    const readsFirst = await readsBodyFirst(context, endpoint);
    if (!readsFirst.ok) return readsFirst.verdict;
    const control = await context.ask(validRequest(endpoint, twin(context.model)));
    if (!control.ok) return control.verdict;
    if (control.value.outcome.status !== 402) {
      return unknown(`the valid twin was not answered 402 either, but ${describe(control.value)}`);
    }
    const taken: string[] = [];
    let open: Judgement | undefined;
    for (const [name, spoil] of Object.entries(spoils)) {
      const invalid = invalidRequest(endpoint, spoil(twin(context.model)));
      const request: Ask = beyondSchema === undefined ? invalid : { ...invalid, claim: { beyondSchema } };
      const answered = await askInvalid(context, endpoint, request);
      const shown = answered.ok ? passing(answered.value) : answered.verdict;
      open ??= shown;
      if (!answered.ok || shown || statuses.includes(answered.value.outcome.status)) continue;
      taken.push(`${describe(answered.value)} to ${name}`);
    }
    if (taken.length > 0) {
      return broken(`status ${statuses.join(', ')} for an invalid body`, taken.join('; '));
    }
    return open ?? holds();
  });
  return beyondSchema === undefined ? judged : { ...judged, beyondSchema };
}

type Loose = Readonly<Record<string, unknown>>;

/** Values in the place of a member, by what they are. */
export function putting(member: string, values: Loose): Spoils<object> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, Spoil<object>] => [
      `\`${member}\` as ${name}`,
      (object) => ({ ...object, [member]: value }),
    ]),
  );
}

/** Models that no catalog has, in the place of the body's own. */
export const strangeModels: Spoils<{ readonly model: string }> = Object.fromEntries(
  Object.entries(noEntries).map(([name, strange]): [string, Spoil<{ readonly model: string }>] => [
    `\`model\` as ${name}`,
    (body) => ({ ...body, model: strange(body.model) }),
  ]),
);

/** An object without one of its members. */
export function lacking(member: string): Spoils<object> {
  return {
    [`no \`${member}\``]: (object) =>
      Object.fromEntries(Object.entries(object).filter(([name]) => name !== member)),
  };
}

/** What spoils an object, as what spoils the body that it is in. */
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
  /** To chat, unless said otherwise. */
  readonly endpoint?: PaidEndpoint;
  /** A valid body without what is asked about. */
  readonly twin: (model: string) => unknown;
  readonly bodies: (model: string) => readonly unknown[];
};

/**
 * A valid body is answered 402: accepted, as far as an unpaid request shows it. Where its twin is not accepted either, a
 * refusal shows nothing about what the two differ in.
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
      return unknown(`the twin without it was not answered 402 either, but ${describe(control.value)}`);
    }
    let isBound = false;
    for (const body of bodies(context.model)) {
      const request = validRequest(endpoint, body);
      const answered = await context.ask(request);
      if (!answered.ok) return answered.verdict;
      if (answered.value.outcome.status === 402) continue;
      const passed = passing(answered.value);
      if (passed) return passed;
      if (!(await isTooLong(context, request, validRequest(endpoint, twin(context.model))))) {
        return broken('402 for a valid body', describe(answered.value));
      }
      isBound = true;
    }
    return isBound ? notApplicable('a twin of the same size is refused too') : holds();
  });
}

/** Whether the twin is refused too where it is as long: a bound on size is not shown (contract 8). */
async function isTooLong(context: Context, request: Ask, twin: Ask): Promise<boolean> {
  const padded = await context.ask(asLongAs(request, twin));
  return padded.ok && unpaidAnswer(padded.value) === 'refused';
}

/** The answers to several bodies, in words. */
export async function answersTo(context: Context, requests: readonly Ask[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const request of requests) {
    const answered = await context.ask(request);
    answers.push(answered.ok ? describe(answered.value) : answered.verdict.reason);
  }
  return answers;
}
