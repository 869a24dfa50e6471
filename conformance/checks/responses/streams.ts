import { streamDone } from '@paid-inference/contract/constants';
import { unpaidResponse } from '../../conditions/levels.ts';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, judgeTransient, readMediaType, worst, written } from '../../sources/judgements.ts';
import { type Paid, pay, servedAt } from '../../sources/paid-source.ts';
import { type Found, inapplicable, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { decodeJson, isObject, type JsonObject } from '../../wire/base64-json.ts';
import { readEvents } from '../../wire/event-stream.ts';
import type { Answered } from '../../wire/exchange.ts';
import { jsonText } from '../../wire/json-text.ts';
import { assemble } from './assemble.ts';
import { chatRules } from './chat-response.ts';
import { completionRules } from './completion-response.ts';
import type { ResponseRule } from './response-rules.ts';

const eventStream = 'text/event-stream';

const rules: Readonly<Record<PaidEndpoint, readonly ResponseRule[]>> = {
  chat: chatRules,
  completions: completionRules,
};

/** Checks of paid streams, an extension that a target may lack (D-297). */
export const streamChecks = paidEndpointNames.flatMap((endpoint) => [
  check('stream.completion', `The chunks of a stream make a complete completion (${endpoint})`, (context) =>
    judgeStream(context, endpoint, ({ answered, payment }) =>
      judgeCompletion(answered, payment.authorization.from, rules[endpoint]),
    ),
  ),
  check('stream.end', `The last event of a stream is ${streamDone} (${endpoint})`, (context) =>
    judgeStream(context, endpoint, ({ answered }) => judgeEnd(readEvents(answered.outcome.body))),
  ),
]);

/** A client stops reading at the first end. */
function judgeEnd(events: readonly string[]): Judgement {
  const last = events.at(-1);
  if (last !== streamDone) return broken(streamDone, written(last));
  const late = events.slice(events.indexOf(streamDone)).find((event) => event !== streamDone);
  return late === undefined ? holds() : broken(`no event after ${streamDone}`, written(late));
}

/** Pays for a stream once, for all checks of an endpoint. */
export const payForStream = {
  chat: (context: Context) => pay(context, 'chat', streamedBody(context, 'chat')),
  completions: (context: Context) => pay(context, 'completions', streamedBody(context, 'completions')),
} satisfies Record<PaidEndpoint, (context: Context) => Promise<Found<Paid>>>;

export function streamedBody({ model }: Context, endpoint: PaidEndpoint) {
  return { ...bodyFor(endpoint, model), stream: true, stream_options: { include_usage: true } };
}

/** The 402 of a request for a stream, at a target that serves a plain payment. */
export async function offeredStream(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const plainly = await servedAt(context, endpoint);
  if (!plainly.ok) return plainly;
  const asked = await context.ask(validRequest(endpoint, streamedBody(context, endpoint)));
  if (!asked.ok) return asked;
  const kind = unpaidResponse(asked.value);
  if (kind === 'refused') return inapplicable('the target refuses `stream`');
  // Other checks judge wrong responses to unpaid requests.
  return kind === 'right' ? asked : missing(`an unpaid request for a stream got ${describe(asked.value)}`);
}

async function judgeStream(
  context: Context,
  endpoint: PaidEndpoint,
  judge: (paid: Paid) => Judgement,
): Promise<Judgement> {
  const offered = await offeredStream(context, endpoint);
  if (!offered.ok) return offered.verdict;
  const paid = await context.once(payForStream[endpoint]);
  if (!paid.ok) return paid.verdict;
  const { answered } = paid.value;
  if (answered.outcome.status !== 200) {
    // A gateway may check the payment before the body (D-203).
    return judgeTransient(answered) ?? notApplicable(`the paid request got ${describe(answered)}`);
  }
  const type = readMediaType(answered);
  if (type !== eventStream) return notApplicable(`the target sends ${written(type)}, and no event stream`);
  if (isEndpointReported(context, endpoint)) return notApplicable('other checks report these completions');
  return judge(paid.value);
}

/** A fault of all completions is in streams too, and is reported once. */
function isEndpointReported(context: Context, endpoint: PaidEndpoint): boolean {
  return context.reported().some(({ requirement }) => requirement.startsWith(`${endpoint}.`));
}

function judgeCompletion(answered: Answered, payer: string, each: readonly ResponseRule[]): Judgement {
  const events = readEvents(answered.outcome.body).filter((event) => event !== streamDone);
  const chunks: JsonObject[] = [];
  for (const event of events) {
    const chunk = decodeJson(Buffer.from(event));
    if (!chunk.ok || !isObject(chunk.value) || !Array.isArray(chunk.value['choices']))
      return broken('events with chunks', written(event));
    chunks.push(chunk.value);
  }
  const completion = assemble(chunks);
  if (!completion.ok) return broken('chunks of one completion', completion.verdict.reason);
  const whole = { ...answered, outcome: { ...answered.outcome, body: jsonText(completion.value) } };
  // A stream may lack the usage, which OpenAI's clients have to ask for.
  const hasUsage = completion.value['usage'] !== undefined;
  const applied = each.filter(({ requirement }) => hasUsage || !requirement.includes('.usage'));
  return worst(applied.map(({ judge }) => judge(whole, payer)));
}
