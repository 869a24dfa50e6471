import type { ChatCompletionRequest, FinishReason, Message, ToolCall } from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { clockTool, toolBody, weatherTool } from '../../sources/bodies.ts';
import { describe, hasStatus, isName, isString, jsonBody, worst, written } from '../../sources/judgements.ts';
import { type Paid, paidChat, pay, served } from '../../sources/paid-source.ts';
import { type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import { decodeJson, isObject, type JsonObject, member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { judgeContent } from './chat-response.ts';
import { choice as choiceRule, type ResponseRule, readChoices } from './response-rules.ts';

const calling: FinishReason = 'tool_calls';
const type = 'function' as const satisfies ToolCall['type'];

/** A response in which the model called a tool, or announced a call. */
type Called = { readonly body: ChatCompletionRequest; readonly choice: JsonObject };

/** Checks of tool calls and their results (§2.6, §3). A model that calls no tool leaves them inconclusive. */
export const toolChecks = [
  check('tools.served', 'A paid request with `tools` gets 200', async (context) => {
    // A request without tools was served before, so the tools are the only reason for a refusal.
    const without = await served(paidChat(context));
    if (!without.ok) return without.verdict;
    const turn = decisiveTurn(await context.once(toolTurns));
    return turn.ok ? hasStatus(turn.value.answered, 200) : turn.verdict;
  }),
  check('tools.call', 'A tool call has `id`, `type`, `function.name` and `function.arguments`', (context) =>
    given(context.once(firstCall), ({ body, choice }) => judgeCalls(choice, body)),
  ),
  check('tools.finish-reason', `A choice with \`finish_reason\` \`${calling}\` has tool calls`, (context) =>
    given(context.once(firstCall), ({ choice }) => judgeReason(choice)),
  ),
  check('chat.body.choices.message.content', 'With `tool_calls`, `content` is a string or null', (context) =>
    given(context.once(firstCall), ({ choice }) => judgeContent(choice['message'])),
  ),
  check('tools.round-trip', 'A conversation with the results of the calls gets 200', async (context) => {
    const called = await context.once(firstCall);
    if (!called.ok) return called.verdict;
    const body = withResults(called.value);
    if (!body.ok) return body.verdict;
    const paid = await pay(context, 'chat', body.value);
    return paid.ok ? hasStatus(paid.value.answered, 200) : paid.verdict;
  }),
];

function judgeReason(choice: JsonObject): Judgement {
  const { finish_reason: reason } = choice;
  // The contract lists no other values (§2.6), and does not forbid calls with them.
  if (reason !== calling && isString(reason)) {
    return notApplicable(`the choice with calls has the finish_reason ${written(reason)}`);
  }
  if (reason !== calling) return broken('a string', written(reason));
  return hasCalls(choice) ? holds() : broken('calls in `tool_calls`', 'no calls');
}

/** The same rules for every response. Responses without calls pass. */
export const callRules: readonly ResponseRule[] = [
  {
    requirement: 'tools.call',
    title: 'Tool calls have all their parts',
    judge: (answered) => judgeAllCalls(answered),
  },
  choiceRule('tools.finish-reason', 'A choice that announces calls has calls', (choice) =>
    choice['finish_reason'] === calling && !hasCalls(choice)
      ? broken(`calls with the finish_reason ${written(calling)}`, 'no calls')
      : holds(),
  ),
];

/** A model may call only tools that the request offers (§2.1: "Tools the model may call"). */
export const offeredRule: ResponseRule = {
  requirement: 'tools.offered',
  title: 'Tool calls name functions that the request offers',
  judge: (answered) => {
    const offered = new Set(listEntries(parseRequest(answered), 'tools').map(readFunctionName));
    // Another check judges the form of a call.
    const strange = namesOfCalls(answered).filter((name) => isString(name) && !offered.has(name));
    if (strange.length === 0) return holds();
    const all = [...offered].map(written).join(', ');
    const expected =
      offered.size > 0 ? `calls of ${all} only` : 'no calls, because the request offers no tools';
    return broken(expected, `a call of ${written(strange[0])}`);
  },
};

/** The decoded request body of a response. */
export function parseRequest({ request }: Answered): unknown {
  const body = decodeJson(Buffer.from(request.body ?? ''));
  return body.ok ? body.value : undefined;
}

/** The names of the functions that a response calls. */
export function namesOfCalls(answered: Answered): readonly unknown[] {
  const response = jsonBody(answered);
  if (!response.ok) return [];
  const calls = listEntries(response.value, 'choices').flatMap((each) =>
    listEntries(member(each, 'message'), 'tool_calls'),
  );
  return calls.map(readFunctionName);
}

function listEntries(value: unknown, name: string): readonly unknown[] {
  const entries = member(value, name);
  return Array.isArray(entries) ? entries : [];
}

type Attempt = {
  readonly body: ChatCompletionRequest;
  /** The contract does not define this form of `tool_choice` (D-11), so it may be refused. */
  readonly isOpen?: true;
};

/** Three attempts to make the model call a tool, each more explicit. */
function attempts(model: string): readonly Attempt[] {
  // The usual form of a first turn: instructions, several tools, and no limit (D-231).
  const { max_tokens: _, ...rest } = toolBody(model);
  const turn = [
    { role: 'system', content: 'You may call tools.' },
    { role: 'user', content: 'What is the weather in Oslo?\nCall the tool.' },
  ] as const;
  const body = { ...rest, messages: turn, tools: [weatherTool, clockTool] };
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

/** The attempts and their responses, up to a call or to the refusal of a valid request. */
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

/** The refused turn among those that must be served, otherwise a served one. */
function decisiveTurn(turns: readonly Turn[]): Found<Paid> {
  const paid = turns.filter(({ isOpen }) => !isOpen).map((turn) => turn.paid);
  const responses = paid.flatMap((one) => (one.ok ? [one.value] : []));
  const decisive =
    responses.find(({ answered }) => hasStatus(answered, 200).kind === 'broken') ??
    responses.find(({ answered }) => answered.outcome.status === 200);
  return decisive ? found(decisive) : (paid[0] ?? missing('the suite sent no request with tools'));
}

async function firstCall(context: Context): Promise<Found<Called>> {
  const responses: string[] = [];
  for (const { body, paid } of await context.once(toolTurns)) {
    if (!paid.ok) return paid;
    const { answered } = paid.value;
    responses.push(describe(answered));
    const choice = callingChoice(answered);
    if (!choice) continue;
    if (!isCutShort(choice)) return found({ body, choice });
    responses.push('cut short by max_tokens');
  }
  return missing(`the model made no complete tool call (${responses.join(', ')})`);
}

/** The first choice of a response that has or announces tool calls; a complete one if there is one. */
function callingChoice(answered: Answered): JsonObject | undefined {
  if (answered.outcome.status !== 200) return undefined;
  const response = jsonBody(answered);
  const choices = response.ok ? readChoices(response.value) : response;
  const calling = choices.ok ? choices.value.filter(isCalling) : [];
  return calling.find((choice) => !isCutShort(choice)) ?? calling[0];
}

/** Judges the calls of every choice by the tools of the request. */
function judgeAllCalls(answered: Answered): Judgement {
  const response = jsonBody(answered);
  const choices = response.ok ? readChoices(response.value) : response;
  if (!choices.ok) return choices.verdict;
  const request = parseRequest(answered);
  return worst(
    choices.value.map((choice) =>
      hasCalls(choice) && !isCutShort(choice) ? judgeCalls(choice, request) : holds(),
    ),
  );
}

function judgeCalls(choice: JsonObject, request: unknown): Judgement {
  const calls = member(choice['message'], 'tool_calls');
  if (!Array.isArray(calls) || calls.length === 0 || !calls.every(isToolCall)) {
    const expected = 'an array of calls with an id, type "function", a name and arguments in JSON';
    return broken(expected, written(calls));
  }
  if (!haveOwnIds(calls)) return broken('another id for each call of a message', written(calls));
  const takers = new Set(listEntries(request, 'tools').filter(takesObject).map(readFunctionName));
  const wrong = calls.find((call) => takers.has(call.function.name) && !isObject(parseArguments(call)));
  return wrong
    ? broken('arguments that are a JSON object, as `parameters` of the tool says', written(wrong))
    : holds();
}

/** A result names the id of its call (§2.2, §3), so two calls with one id cannot be told apart. */
function haveOwnIds(calls: readonly ToolCall[]): boolean {
  return new Set(calls.map(({ id }) => id)).size === calls.length;
}

/** Whether the JSON Schema of the tool's `parameters` allows objects only. */
function takesObject(tool: unknown): boolean {
  return member(member(member(tool, 'function'), 'parameters'), 'type') === 'object';
}

function readFunctionName(tool: unknown): unknown {
  return member(member(tool, 'function'), 'name');
}

function parseArguments({ function: { arguments: text } }: ToolCall): unknown {
  const value = decodeJson(Buffer.from(text));
  return value.ok ? value.value : undefined;
}

function isCalling(choice: JsonObject): boolean {
  return choice['finish_reason'] === calling || hasCalls(choice);
}

function hasCalls(choice: JsonObject): boolean {
  const calls = member(choice['message'], 'tool_calls');
  return calls !== undefined && calls !== null && !(Array.isArray(calls) && calls.length === 0);
}

/** The suite's token limit cut the call, so the call proves nothing about the deployment. */
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
    isName(member(call, 'id')) &&
    member(call, 'type') === type &&
    isName(member(described, 'name')) &&
    isString(given) &&
    isJson(given)
  );
}

/** The next request: the assistant message of the response, and a tool message for each call (§3). */
function withResults({ body, choice }: Called): Found<ChatCompletionRequest> {
  const { message } = choice;
  const calls = member(message, 'tool_calls');
  if (!isObject(message) || !Array.isArray(calls) || !calls.every(isToolCall) || !haveOwnIds(calls)) {
    return missing('the tool calls are invalid, so the suite cannot send their results');
  }
  const { content } = message;
  // The message is sent back unchanged, with null as `content` if the response had null (§2.6, §3).
  const isKept = isString(content) || content === null;
  const assistant: Message = { role: 'assistant', ...(isKept && { content }), tool_calls: calls };
  const results = calls.map(
    ({ id }): Message => ({ role: 'tool', tool_call_id: id, content: '{"celsius":4}' }),
  );
  const { tool_choice: _, tools = [], ...rest } = body;
  // Only the called tools, because a gateway may limit the size of a body (§8).
  const called = tools.filter(({ function: { name } }) =>
    calls.some((call) => readFunctionName(call) === name),
  );
  return found({ ...rest, tools: called, messages: [...body.messages, assistant, ...results] });
}
