import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc, { type Arbitrary } from 'fast-check';
import type { PaidEndpoint } from '../checks/bodies.ts';
import { isObject, type JsonObject, member } from '../wire/base64-json.ts';
import { arbitraryOf, type Instead, identifiers } from './arbitrary.ts';
import { contractSchemas } from './schemas.ts';

export type RandomBody = { readonly endpoint: PaidEndpoint; readonly body: unknown };

const strings = (minLength: number, maxLength: number) =>
  fc.string({ unit: 'grapheme', minLength, maxLength });

/** Blank texts are left out: nothing is said of whether they are texts. */
const words = strings(1, 24).filter((text) => text.trim() !== '');

/**
 * Where the schema allows more than the contract shows, or than every deployment can be held to: upper bounds are not shown
 * (8), `stop` is an array (2.1) though one string is taken for one (D-10), a specific `tool_choice` has no shape (2.1), null
 * and empty arrays are not spoken of (D-126), and names are such that a program could bear them.
 */
const instead: Instead = {
  'ChatCompletionRequest.max_tokens': fc.integer({ min: 1, max: 16 }),
  'CompletionRequest.max_tokens': fc.integer({ min: 1, max: 16 }),
  Stop: fc.array(strings(1, 4), { minLength: 1, maxLength: 4 }),
  ToolChoice: fc.constantFrom('auto', 'none'),
  'FunctionDefinition.name': identifiers,
  'FunctionDefinition.description': words,
  'ToolParameters.type': fc.constant('object'),
  'ToolParameters.required': fc.constant([]),
  'ToolParameter.description': words,
  'ToolParameter.type': fc.constantFrom('string', 'number', 'integer', 'boolean'),
  'SystemMessage.content': words,
  'UserMessage.content': words,
  'AssistantMessage.content': words,
  'ToolMessage.content': words,
  'CompletionRequest.prompt': words,
  'SystemMessage.name': identifiers,
  'UserMessage.name': identifiers,
  'AssistantMessage.name': identifiers,
  'ToolMessage.name': identifiers,
  'FunctionCall.name': identifiers,
  'FunctionCall.arguments': fc
    .dictionary(identifiers, fc.integer(), { maxKeys: 2 })
    .map((value) => JSON.stringify(value)),
};

/** Which of the parts that it names a definition may lack is not said (2.3). */
const whole = ['FunctionDefinition', 'ToolParameters', 'ToolParameter'];

/** Bodies that the contract allows, three for chat to each for text: nearly all rules are about chat. */
export function validBodies(model: string): Arbitrary<RandomBody> {
  return fc.oneof(
    { weight: 3, arbitrary: chatBodies(model).map((body) => ({ endpoint: 'chat' as const, body })) },
    {
      weight: 1,
      arbitrary: bodiesOf('CompletionRequest', model)
        .filter((body) => CompletionRequest(body))
        .map((body) => ({ endpoint: 'completions' as const, body })),
    },
  );
}

function bodiesOf(schema: 'ChatCompletionRequest' | 'CompletionRequest', model: string): Arbitrary<unknown> {
  const rules = { ...instead, ModelId: fc.constant(model), 'ChatCompletionRequest.messages': conversations };
  return arbitraryOf(schema, contractSchemas, rules, whole);
}

function chatBodies(model: string): Arbitrary<unknown> {
  return bodiesOf('ChatCompletionRequest', model)
    .map((body) => withCallsOnlyOfTools(withWholeTools(body)))
    .filter((body) => ChatCompletionRequest(body));
}

const message = (schema: string) => arbitraryOf(schema, contractSchemas, instead).filter(isObject);

/** A question, perhaps an answer or calls, and for each call its result: the order in which messages make sense (3). */
const turns: Arbitrary<readonly JsonObject[]> = fc
  .tuple(
    message('UserMessage'),
    fc.option(message('AssistantMessage')),
    fc.array(message('ToolMessage'), { minLength: 2, maxLength: 2 }),
  )
  .map(([user, assistant, results]) => (assistant ? [user, ...answered(assistant, results)] : [user]));

const conversations: Arbitrary<readonly JsonObject[]> = fc
  .tuple(fc.option(message('SystemMessage')), fc.array(turns, { maxLength: 1 }), message('UserMessage'))
  .map(([system, earlier, last]) => [...(system ? [system] : []), ...earlier.flat(), last]);

/** Each call has an id of its own, and one result that names it. */
function answered(assistant: JsonObject, results: readonly JsonObject[]): readonly JsonObject[] {
  const { tool_calls: calls, ...rest } = assistant;
  if (!Array.isArray(calls) || calls.length === 0) return [rest];
  const named = calls.filter(isObject).map((call, index) => ({ ...call, id: `call_${index}` }));
  return [
    { ...rest, tool_calls: named },
    ...named.map(({ id }, index) => ({ ...results[index], tool_call_id: id })),
  ];
}

/** A choice among no tools is not spoken of, nor a function without parameters that a call must give. */
function withWholeTools(body: unknown): JsonObject {
  if (!isObject(body)) throw new Error('a body is an object');
  const { tools, tool_choice: choice, ...rest } = body;
  const useful = Array.isArray(tools) ? tools.flatMap((tool) => demanding(tool)) : [];
  if (useful.length === 0) return rest;
  return { ...rest, tools: useful, ...(choice !== undefined && { tool_choice: choice }) };
}

/** The tool with all of its parameters demanded, if it has any. */
function demanding(tool: unknown): readonly JsonObject[] {
  const described = member(tool, 'function');
  const parameters = member(described, 'parameters');
  const required = Object.keys(Object(member(parameters, 'properties')));
  if (!isObject(tool) || !isObject(described) || !isObject(parameters) || required.length === 0) return [];
  return [{ ...tool, function: { ...described, parameters: { ...parameters, required } } }];
}

/** Calls of a function that is not among the tools are not spoken of. */
function withCallsOnlyOfTools(body: JsonObject): JsonObject {
  const { messages, tools } = body;
  if (!Array.isArray(messages)) return body;
  const name = Array.isArray(tools) ? member(member(tools[0], 'function'), 'name') : undefined;
  const said = messages.filter(
    (message) => name !== undefined || (message.role !== 'tool' && message.tool_calls === undefined),
  );
  return {
    ...body,
    messages: said.map((message) =>
      message.tool_calls ? { ...message, tool_calls: named(message.tool_calls, name) } : message,
    ),
  };
}

function named(calls: readonly JsonObject[], name: unknown): readonly JsonObject[] {
  return calls.map((call) => ({ ...call, function: { ...Object(call['function']), name } }));
}
