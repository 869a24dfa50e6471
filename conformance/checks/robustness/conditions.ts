import {
  acceptedLevels,
  type Finding,
  fewExtras,
  forOtherModels,
  isLawfullyRefused,
  isSold,
  type Levels,
  spread,
  unpaidResponseUnder,
} from '../../conditions/levels.ts';
import { pairwise } from '../../conditions/pairwise.ts';
import {
  type Conditions,
  common,
  describeConditions,
  isPossible,
  plain,
  requestUnder,
} from '../../conditions/requests.ts';
import { findingsMax, type Planned, sendPlan } from '../../conditions/send.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, invalidRequest, type PaidEndpoint } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { aboutBody, askInvalid } from '../../sources/order-of-checks.ts';
import { bothDemanding, bothReading } from '../../sources/sources.ts';
import { type Found, given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Checks of unpaid valid and invalid requests under conditions that must not matter (§3, §7). */
export const conditionChecks = [
  check(
    'conditions.unpaid',
    'Under all conditions (model, settlement type, connection, concurrency, size, turn), an unpaid request gets 402',
    (context) =>
      given(bothDemanding(context), async () =>
        judgeOutcomes(await context.once(sentUnderConditions), 'unpaid', 'status 402'),
      ),
  ),
  check('conditions.invalid', 'Under the same conditions, an invalid request gets 400', (context) =>
    given(bothReading(context), async () =>
      judgeOutcomes(await context.once(sentUnderConditions), 'invalid', 'status 400'),
    ),
  ),
];

type Kind = 'unpaid' | 'invalid';
type Outcomes = {
  readonly sent: number;
  readonly findings: Finding[];
  /** Conditions whose requests all got the right response. */
  readonly right: Conditions[];
  /** The reason why a part is unknown. */
  open?: string;
};

/** A fault of a body. The target also refuses it in an otherwise usual request. */
type Fault = readonly [name: string, change: (body: Readonly<Record<string, unknown>>) => unknown];

const faults: readonly Fault[] = [
  ['no messages and no prompt', ({ messages: _, prompt: __, ...body }) => body],
  ['`max_tokens` in a string', (body) => ({ ...body, max_tokens: '16' })],
  ['`temperature` as a word', (body) => ({ ...body, temperature: 'hot' })],
  ['`temperature` above its range', (body) => ({ ...body, temperature: 2.5 })],
  ['an unknown `role` of the last message, or a number as `prompt`', withOtherRole],
];

/** The body of a chat with another role in its last message, or the body of a text request with another prompt. */
function withOtherRole({ messages, ...body }: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(messages)) return { ...body, prompt: 7 };
  return { ...body, messages: [...messages.slice(0, -1), { ...messages.at(-1), role: 'narrator' }] };
}

/** How many models are combined with every other condition. */
const modelsOfInvalid = 3;

async function sentUnderConditions(context: Context): Promise<Record<Kind, Outcomes>> {
  const levels = await context.once(acceptedLevels);
  const valid = validPlan(levels);
  const reads = await bothReading(context);
  const invalid = reads.ok ? invalidPlan(levels, await refusedFaults(context)) : [];
  const outcomes: Record<Kind, Outcomes> = {
    unpaid: { sent: valid.length, findings: [...levels.faults], right: [] },
    invalid: { sent: invalid.length, findings: [], right: [] },
  };
  if (levels.open !== undefined) outcomes.unpaid.open = levels.open;
  const issue = await sendPlan(context, mixed(valid, invalid), async (planned, first) => {
    const { conditions, of } = planned;
    const outcome = outcomes[of];
    const answered = of === 'invalid' ? await judgeable(context, planned, first) : first;
    if (!answered.ok) outcome.open ??= `${answered.verdict.reason} (${describeConditions(conditions)})`;
    else {
      const passed = judgeTransient(answered.value);
      if (passed) outcome.open ??= passed.reason;
      else if (await isRight(context, of, conditions, answered.value)) outcome.right.push(conditions);
      else outcome.findings.push({ conditions, answered: answered.value });
    }
    return Object.values(outcomes).some(({ findings }) => findings.length >= findingsMax)
      ? 'enough'
      : 'go on';
  });
  for (const outcome of Object.values(outcomes)) if (issue !== undefined) outcome.open ??= issue;
  return outcomes;
}

/** The response. If the order of checks changes, a response about the body. */
async function judgeable(
  context: Context,
  { conditions, request }: Planned<Kind>,
  first: Found<Answered>,
): Promise<Found<Answered>> {
  if (!first.ok || typeof request === 'function') return first;
  return aboutBody(context, conditions.endpoint, request, first.value, true);
}

async function isRight(
  context: Context,
  kind: Kind,
  conditions: Conditions,
  answered: Answered,
): Promise<boolean> {
  if (kind === 'invalid') {
    if (answered.outcome.status === 400 || !(await isSold(context, conditions))) return true;
    // A bound on size: the fault may make the body longer than the valid one.
    const longer = await context.ask(requestUnder(conditions, lengthen));
    return longer.ok && unpaidResponseUnder(conditions, longer.value) === 'refused';
  }
  const response = unpaidResponseUnder(conditions, answered);
  return response === 'right' || (response === 'refused' && (await isLawfullyRefused(context, conditions)));
}

/** Makes a valid body longer than each fault does. */
function lengthen({ messages, prompt, ...body }: Readonly<Record<string, unknown>>): unknown {
  const more = ' and again'.repeat(20);
  if (!Array.isArray(messages)) return { ...body, prompt: `${prompt}${more}` };
  const [first, ...others] = messages;
  return { ...body, messages: [{ ...first, content: `${first.content}${more}` }, ...others] };
}

function validPlan(levels: Levels): readonly Planned<'unpaid'>[] {
  const { models, types, bytes, turns, credentials } = levels;
  // The common members include these.
  const extras = levels.extras.includes('common-members')
    ? levels.extras.filter((extra) => extra !== 'user-and-metadata')
    : levels.extras;
  const rows = pairwise(
    { model: models, type: types, ...common, bytes, turn: turns, extra: extras, credential: credentials },
    isPossible,
  );
  return rows.map((conditions) => ({ conditions, request: requestUnder(conditions), of: 'unpaid' }));
}

/** A long body is sent only with the model that accepted one, because another model may have a lower limit. */
function invalidPlan(levels: Levels, refused: readonly Fault[]): readonly Planned<'invalid'>[] {
  const { models, types, bytes, turns } = levels;
  const [first] = models;
  const rows = pairwise(
    {
      model: spread(models, modelsOfInvalid),
      type: types,
      ...common,
      bytes,
      turn: turns.filter((turn) => turn !== 'answered'),
      extra: fewExtras(levels),
      credential: [plain.credential],
      fault: refused,
    },
    (row) => isPossible(row) && (!row.bytes || row.model === undefined || row.model === first),
  );
  return [...rows, ...forOtherModels(rows, models)].map(({ fault: [, change], ...conditions }) => ({
    conditions,
    request: { ...requestUnder(conditions, change), claim: 'invalid' },
    of: 'invalid',
  }));
}

/** Faults that the target refuses in a usual request. Other checks report the rest. */
async function refusedFaults(context: Context): Promise<readonly Fault[]> {
  const refused: Fault[] = [];
  for (const fault of faults) {
    const [, change] = fault;
    const isRefused = async (endpoint: PaidEndpoint) => {
      const request = invalidRequest(endpoint, change({ ...bodyFor(endpoint, context.model) }));
      const answered = await askInvalid(context, endpoint, request);
      return answered.ok && answered.value.outcome.status === 400;
    };
    if ((await isRefused('chat')) && (await isRefused('completions'))) refused.push(fault);
  }
  return refused;
}

/** Mixes invalid requests with valid ones, so that both kinds are sent concurrently. */
function mixed(valid: readonly Planned<Kind>[], invalid: readonly Planned<Kind>[]): readonly Planned<Kind>[] {
  const every = Math.max(1, Math.floor(valid.length / Math.max(1, invalid.length)));
  const plan = valid.flatMap((each, at) => {
    const next = at % every === every - 1 ? invalid[Math.floor(at / every)] : undefined;
    return next ? [each, next] : [each];
  });
  return [...plan, ...invalid.filter((each) => !plan.includes(each))];
}

function judgeOutcomes(outcomes: Record<Kind, Outcomes>, kind: Kind, expected: string): Judgement {
  const { findings, right, open, sent } = outcomes[kind];
  const [first] = findings;
  if (first) {
    const { conditions, answered } = first;
    return broken(
      expected,
      `${describe(answered)} for request ${answered.number} (${describeConditions(conditions)})${inCommon(findings, right)}`,
    );
  }
  if (open !== undefined) return unknown(open);
  return sent > 0 ? holds(`${sent} requests`) : unknown('the suite had no requests to send');
}

/** Names the conditions that all wrong responses share and that no right response has together. */
function inCommon(findings: readonly Finding[], right: readonly Conditions[]): string {
  const [first, ...others] = findings.map(({ conditions }) => conditions);
  if (!first || others.length === 0) return '';
  const names = (Object.keys(first) as (keyof Conditions)[]).filter((name) =>
    others.every((each) => each[name] === first[name]),
  );
  const shared: Partial<Conditions> = Object.fromEntries(names.map((name) => [name, first[name]]));
  const isSeenRight = right.some((each) => names.every((name) => each[name] === first[name]));
  const words = describeConditions(shared);
  return isSeenRight || words === ''
    ? ''
    : `; all ${findings.length} wrong responses share these conditions: ${words}`;
}
