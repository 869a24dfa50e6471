import type { ChatCompletionRequest, FinishReason, Message, ToolCall } from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { toolBody, weatherTool } from '../../sources/bodies.ts';
import { describe, hasStatus, isString, jsonBody, written } from '../../sources/judgements.ts';
import { type Paid, paidChat, pay, served } from '../../sources/paid-source.ts';
import { andThen, type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { decodeJson, isObject, type JsonObject, member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { type AnswerRule, choice as choiceRule, choicesOf } from './answer.ts';
import { judgeContent } from './chat-answer.ts';

const calling: FinishReason = 'tool_calls';
const type = 'function' as const satisfies ToolCall['type'];

/** An answer in which the model called a tool, or meant to. */
type Called = { readonly body: ChatCompletionRequest; readonly choice: JsonObject };

/** The tool loop (contract 2.6, 3). A model that does not call shows nothing. */
export const toolChecks = [
  check('tools.served', 'A paid request with `tools` is answered 200', (context) =>
    // Beside the same without tools, so that a refusal lies with them.
    given(served(paidChat(context)), async () => {
      const turn = decisiveTurn(await context.once(toolTurns));
      return turn.ok ? hasStatus(turn.value.answered, 200) : turn.verdict;
    }),
  ),
  check('tools.call', 'A tool call has `id`, `type`, `function.name` and `function.arguments`', (context) =>
    given(context.once(firstCall), ({ choice }) => judgeCalls(choice)),
  ),
  check(
    'tools.finish-reason',
    `Where \`finish_reason\` is \`${calling}\`, there are calls to answer`,
    (context) =>
      given(context.once(firstCall), ({ choice }) => {
        const { finish_reason: reason } = choice;
        // Which other words there are is not shown (contract 2.6), nor that a call cannot stand beside one.
        if (reason !== calling && isString(reason)) {
          return notApplicable(`the calls came with the finish_reason ${written(reason)}`);
        }
        if (reason !== calling) return broken('a string', written(reason));
        return hasCalls(choice) ? holds() : broken('calls in `tool_calls`', 'none');
      }),
  ),
  check(
    'chat.body.choices.message.content',
    'Beside `tool_calls`, `content` is a string or null',
    (context) => given(context.once(firstCall), ({ choice }) => judgeContent(choice['message'])),
  ),
  check('tools.round-trip', 'The conversation goes on with the results of the calls', (context) =>
    given(andThen(context.once(firstCall), withResults), (body) =>
      given(pay(context, 'chat', body), ({ answered }) => hasStatus(answered, 200)),
    ),
  ),
];

/** The same of any answer: most call nothing, and show nothing of calls. */
export const callRules: readonly AnswerRule[] = [
  choiceRule('tools.call', 'Tool calls have their parts', (choice) =>
    hasCalls(choice) && !isCutShort(choice) ? judgeCalls(choice) : holds(),
  ),
  choiceRule('tools.finish-reason', 'Calls are there to answer', (choice) =>
    choice['finish_reason'] === calling && !hasCalls(choice)
      ? broken(`calls beside the finish_reason ${written(calling)}`, 'none')
      : holds(),
  ),
];

/** Only what a request offers may be called (contract 2.1: "Tools the model may call"). */
export const offeredRule: AnswerRule = {
  requirement: 'tools.offered',
  title: 'Calls are of functions that the request offers',
  judge: (answered) => {
    const offered = new Set(
      entriesOf(requestOf(answered), 'tools').map((tool) => member(member(tool, 'function'), 'name')),
    );
    // Another check judges the form of a call.
    const strange = namesOfCalls(answered).filter((name) => isString(name) && !offered.has(name));
    const all = [...offered].map(written).join(', ');
    return strange.length === 0
      ? holds()
      : broken(
          `calls of ${offered.size > 0 ? `${all} alone` : 'nothing: no tools are offered'}`,
          written(strange[0]),
        );
  },
};

/** The body that this is an answer to. */
export function requestOf({ request }: Answered): unknown {
  const body = decodeJson(Buffer.from(request.body ?? ''));
  return body.ok ? body.value : undefined;
}

/** The names of the functions that an answer calls. */
export function namesOfCalls(answered: Answered): readonly unknown[] {
  const answer = jsonBody(answered);
  if (!answer.ok) return [];
  const calls = entriesOf(answer.value, 'choices').flatMap((each) =>
    entriesOf(member(each, 'message'), 'tool_calls'),
  );
  return calls.map((call) => member(member(call, 'function'), 'name'));
}

function entriesOf(value: unknown, name: string): readonly unknown[] {
  const entries = member(value, name);
  return Array.isArray(entries) ? entries : [];
}

type Attempt = {
  readonly body: ChatCompletionRequest;
  /** The contract does not show the shape of its choice (D-11), so that it may be refused. */
  readonly isOpen?: true;
};

/** Three ways to have a tool called, from the mildest. */
function attempts(model: string): readonly Attempt[] {
  const body = toolBody(model);
  const messages = [
    { role: 'system', content: 'Never answer yourself. Always call a tool.' },
    { role: 'user', content: 'Call get_weather with city = "Oslo".' },
  ] as const;
  return [
    { body },
    { body: { ...body, messages } },
    { body: { ...body, tool_choice: weatherTool.function.name }, isOpen: true },
  ];
}

/** What the attempts brought: one after the other, up to a call or to the first refusal of what must be served. */
type Turn = Attempt & { readonly paid: Found<Paid> };

async function toolTurns(context: Context): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (const attempt of attempts(context.model)) {
    const paid = await pay(context, 'chat', attempt.body);
    turns.push({ ...attempt, paid });
    if (!paid.ok) break;
    const { answered } = paid.value;
    const isRefused = !attempt.isOpen && hasStatus(answered, 200).kind === 'broken';
    const choice = callingChoice(answered);
    if (isRefused || (choice && !isCutShort(choice))) break;
  }
  return turns;
}

/** Of the turns that must be served the one that was refused; else one that was served. */
function decisiveTurn(turns: readonly Turn[]): Found<Paid> {
  const paid = turns.filter(({ isOpen }) => !isOpen).map((turn) => turn.paid);
  const answers = paid.flatMap((one) => (one.ok ? [one.value] : []));
  const decisive =
    answers.find(({ answered }) => hasStatus(answered, 200).kind === 'broken') ??
    answers.find(({ answered }) => answered.outcome.status === 200);
  return decisive ? found(decisive) : (paid[0] ?? missing('nothing was asked for'));
}

async function firstCall(context: Context): Promise<Found<Called>> {
  const answers: string[] = [];
  for (const { body, paid } of await context.once(toolTurns)) {
    if (!paid.ok) return paid;
    const { answered } = paid.value;
    answers.push(describe(answered));
    const choice = callingChoice(answered);
    if (!choice) continue;
    if (!isCutShort(choice)) return found({ body, choice });
    answers.push('cut short by max_tokens');
  }
  return missing(`the model called no tool to its end (${answers.join(', ')})`);
}

/** The first choice of an answer, where it calls a tool or means to. */
function callingChoice(answered: Answered): JsonObject | undefined {
  if (answered.outcome.status !== 200) return undefined;
  const answer = jsonBody(answered);
  const choices = answer.ok ? choicesOf(answer.value) : answer;
  const [choice] = choices.ok ? choices.value : [];
  return choice && isCalling(choice) ? choice : undefined;
}

function judgeCalls(choice: JsonObject): Judgement {
  const calls = member(choice['message'], 'tool_calls');
  return Array.isArray(calls) && calls.length > 0 && calls.every(isToolCall)
    ? holds()
    : broken(
        'an array of calls with string id, type "function", string name and arguments in JSON',
        written(calls),
      );
}

function isCalling(choice: JsonObject): boolean {
  return choice['finish_reason'] === calling || hasCalls(choice);
}

function hasCalls(choice: JsonObject): boolean {
  const calls = member(choice['message'], 'tool_calls');
  return calls !== undefined && calls !== null && !(Array.isArray(calls) && calls.length === 0);
}

/** The limit on tokens is ours: what it cut off says nothing of the deployment. */
function isCutShort(choice: JsonObject): boolean {
  const calls = member(choice['message'], 'tool_calls');
  const texts = Array.isArray(calls)
    ? calls.map((call) => member(member(call, 'function'), 'arguments'))
    : [];
  return choice['finish_reason'] === 'length' && texts.some((text) => isString(text) && !isJson(text));
}

function isJson(text: string): boolean {
  return decodeJson(Buffer.from(text)).ok;
}

function isToolCall(call: unknown): call is ToolCall {
  const described = member(call, 'function');
  const given = member(described, 'arguments');
  return (
    isString(member(call, 'id')) &&
    member(call, 'type') === type &&
    isString(member(described, 'name')) &&
    isString(given) &&
    isJson(given)
  );
}

/** The next request: the assistant's message as a request has it, and an answer to each call (contract 3). */
function withResults({ body, choice }: Called): Found<ChatCompletionRequest> {
  const { message } = choice;
  const calls = member(message, 'tool_calls');
  if (!isObject(message) || !Array.isArray(calls) || !calls.every(isToolCall)) {
    return missing('the calls are not such that they could be answered');
  }
  const { content } = message;
  // The message goes back as it came, with null as `content` if the response had null (2.6, 3).
  const isKept = isString(content) || content === null;
  const assistant: Message = { role: 'assistant', ...(isKept && { content }), tool_calls: calls };
  const results = calls.map(
    ({ id }): Message => ({ role: 'tool', tool_call_id: id, content: '{"celsius":4}' }),
  );
  const { tool_choice: _, ...rest } = body;
  return found({ ...rest, messages: [...body.messages, assistant, ...results] });
}
