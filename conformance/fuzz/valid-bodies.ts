import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc, { type Arbitrary } from 'fast-check';
import type { PaidEndpoint } from '../checks/bodies.ts';
import { isObject, type JsonObject } from '../wire/base64-json.ts';
import { arbitraryOf, type Instead, identifiers } from './arbitrary.ts';
import { contractSchemas } from './schemas.ts';

export type RandomBody = { readonly endpoint: PaidEndpoint; readonly body: unknown };

const strings = (minLength: number, maxLength: number) =>
  fc.string({ unit: 'grapheme', minLength, maxLength });

/** Blank texts are left out: nothing is said of whether they are texts. */
const words = strings(1, 24).filter((text) => text.trim() !== '');

/**
 * Where the schema allows more than the contract shows, or than every deployment can be held to: upper bounds are not shown
 * (8), `stop` is an array (2.1) though one string is taken for one (D-10), a specific `tool_choice` has no shape (2.1), and
 * names are such that a program could bear them.
 */
const instead: Instead = {
  'ChatCompletionRequest.max_tokens': fc.integer({ min: 1, max: 16 }),
  'CompletionRequest.max_tokens': fc.integer({ min: 1, max: 16 }),
  Stop: fc.array(strings(1, 4), { minLength: 1, maxLength: 4 }),
  ToolChoice: fc.constantFrom('auto', 'none'),
  'FunctionDefinition.name': identifiers,
  'ToolParameters.type': fc.constant('object'),
  'ToolParameters.required': fc.constant([]),
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
  return arbitraryOf(schema, contractSchemas, {
    ...instead,
    ModelId: fc.constant(model),
    'ChatCompletionRequest.messages': conversations,
  });
}

function chatBodies(model: string): Arbitrary<unknown> {
  return bodiesOf('ChatCompletionRequest', model)
    .map(withChoiceOnlyBesideTools)
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

/** A choice among no tools is not spoken of. */
function withChoiceOnlyBesideTools(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { tools, tool_choice: choice, ...rest } = body;
  if (!Array.isArray(tools) || tools.length === 0) return rest;
  return { ...rest, tools, ...(choice !== undefined && { tool_choice: choice }) };
}
