import { headerNames } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import fc, { type Arbitrary } from 'fast-check';
import type { PaidEndpoint } from '../sources/bodies.ts';
import { arbitraryOf, type Instead } from './arbitrary.ts';
import { conversations, texts } from './conversations.ts';
import { rendered, styles } from './rendering.ts';
import { contractSchemas } from './schemas.ts';

export type RandomBody = {
  readonly endpoint: PaidEndpoint;
  readonly body: unknown;
  /** The same body as it is sent, where it is written otherwise than usual. */
  readonly text?: string;
  /** What it is sent under: none of it changes how it must be answered. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly extra?: object;
};

/** Models, settlement types and members that bodies are drawn with. */
export type Drawn = {
  readonly models: readonly string[];
  readonly types: readonly (string | undefined)[];
  /** Members that the contract does not know. */
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
 * Where the schema allows more than the contract shows, or than every deployment can be held to: upper bounds are not shown
 * (8), `stop` is an array (2.1) though one string is taken for one (D-10), a specific `tool_choice` has no shape (2.1), null
 * and empty arrays are not spoken of (D-126).
 */
const instead: Instead = {
  'ChatCompletionRequest.max_tokens': tokens,
  'CompletionRequest.max_tokens': tokens,
  'ChatCompletionRequest.temperature': temperatures,
  'CompletionRequest.temperature': temperatures,
  Stop: stops,
  'CompletionRequest.prompt': texts,
  // These come with the conversation.
  'ChatCompletionRequest.messages': fc.constant([]),
  'ChatCompletionRequest.tools': fc.constant([]),
  ToolChoice: fc.constant('auto'),
};

/** Bodies that the contract allows, three for chat to each for text: nearly all rules are about chat. */
export function validBodies(model: string): Arbitrary<RandomBody> {
  const bodiesOf = (schema: 'ChatCompletionRequest' | 'CompletionRequest') =>
    arbitraryOf(schema, contractSchemas, { ...instead, ModelId: fc.constant(model) });
  const chats = fc
    .tuple(bodiesOf('ChatCompletionRequest'), conversations)
    .map(([fields, conversation]) => {
      const { tools: _, tool_choice: __, ...rest } = Object(fields);
      return { ...rest, ...conversation };
    })
    .filter((body) => ChatCompletionRequest(body));
  const bareTexts = bodiesOf('CompletionRequest').filter((body) => CompletionRequest(body));
  return fc.oneof(
    { weight: 3, arbitrary: chats.map((body) => ({ endpoint: 'chat' as const, body })) },
    { weight: 1, arbitrary: bareTexts.map((body) => ({ endpoint: 'completions' as const, body })) },
  );
}

/**
 * The same, each written in one of the ways in which JSON may be written, for one of the models, with one of the types and one of the
 * extras.
 */
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
