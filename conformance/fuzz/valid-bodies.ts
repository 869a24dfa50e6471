import { headerNames } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc, { type Arbitrary } from 'fast-check';
import type { PaidEndpoint } from '../sources/bodies.ts';
import { createArbitrary, type Instead } from './arbitrary.ts';
import { conversations, texts } from './conversations.ts';
import { rendered, styles } from './rendering.ts';
import { contractSchemas } from './schemas.ts';

export type RandomBody = {
  readonly endpoint: PaidEndpoint;
  readonly body: unknown;
  /** The text of the body, if it is not `JSON.stringify(body)`. */
  readonly text?: string;
  /** Headers of the request. None of them changes the expected response. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly extra?: object;
};

/** Models, settlement types and extra members from which bodies are drawn. */
export type Drawn = {
  readonly models: readonly string[];
  readonly types: readonly (string | undefined)[];
  /** Objects with members that the contract does not define. */
  readonly extras: readonly object[];
};

const stops = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});
const temperatures = fc.oneof(
  fc.constantFrom(0, 1, 2, 0.5, 1.999, 0.1),
  fc.double({ min: 0, max: 2, noNaN: true }).map((value) => Math.abs(value)),
);
const tokens = fc.integer({ min: 1, max: 16 });

/**
 * Narrower values where the schema allows more than the contract demands of every deployment. The contract
 * shows no upper bounds (8), defines `stop` as an array (2.1, D-10), and has no shape for a specific
 * `tool_choice` (2.1). It has no rule for null and empty arrays (D-126).
 */
const instead: Instead = {
  'ChatCompletionRequest.max_tokens': tokens,
  'CompletionRequest.max_tokens': tokens,
  'ChatCompletionRequest.temperature': temperatures,
  'CompletionRequest.temperature': temperatures,
  Stop: stops,
  'CompletionRequest.prompt': texts,
  // The conversation replaces these.
  'ChatCompletionRequest.messages': fc.constant([]),
  'ChatCompletionRequest.tools': fc.constant([]),
  ToolChoice: fc.constant('auto'),
};

/** Valid bodies: three chats for each text completion, because almost all rules are about chats. */
export function validBodies(model: string): Arbitrary<RandomBody> {
  const drawBodies = (schema: 'ChatCompletionRequest' | 'CompletionRequest') =>
    createArbitrary(schema, contractSchemas, { ...instead, ModelId: fc.constant(model) });
  const chats = fc
    .tuple(drawBodies('ChatCompletionRequest'), conversations)
    .map(([fields, conversation]) => {
      const { tools: _, tool_choice: __, ...rest } = Object(fields);
      return { ...rest, ...conversation };
    })
    .filter((body) => ChatCompletionRequest(body));
  const bareTexts = drawBodies('CompletionRequest').filter((body) => CompletionRequest(body));
  return fc.oneof(
    { weight: 3, arbitrary: chats.map((body) => ({ endpoint: 'chat' as const, body })) },
    { weight: 1, arbitrary: bareTexts.map((body) => ({ endpoint: 'completions' as const, body })) },
  );
}

/** Valid bodies, each in one JSON style, with one of the models, settlement types and extra members. */
export function writtenBodies({ models, types, extras }: Drawn): Arbitrary<RandomBody> {
  const [first = ''] = models;
  return fc
    .tuple(
      validBodies(first),
      styles,
      fc.constantFrom(...models),
      fc.constantFrom(...types),
      fc.constantFrom(...extras),
    )
    .map(([random, style, model, type, extra]) => {
      const body = { ...Object(random.body), model, ...extra };
      const headers = type === undefined ? {} : { [headerNames.settlementType]: type };
      return { ...random, body, text: rendered(body, style), headers, extra };
    });
}
