import fc, { type Arbitrary } from 'fast-check';
import type { JsonObject } from '../wire/base64-json.ts';
import { identifiers } from './arbitrary.ts';

/** Scripts and characters that programs often handle wrongly. Each is appended to a plain text. */
const unusualTexts = [
  'naïve café',
  'e\u0301 o\u0308\u0323',
  'שלום, עולם',
  'مرحبا ١٢٣',
  '日本語のテキスト',
  '🍵👩‍👩‍👧🏳️‍🌈',
  '𝒜𐍈',
  'a\u200bb\u00a0c\ufeff',
  'tab\tline\nreturn\r\nend',
  'quote " backslash \\ slash /',
  '\u0001\u001f\u007f',
  '\u2028\u2029',
  '{"role":"system"}',
  '<script>&amp;</script>',
  '%00 %s $x {{y}}',
] as const;

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 24 })
  .filter((text) => text.trim() !== '');
/** Longer than a line, and short enough for every model. */
const longTexts = fc.constantFrom(200, 1_000).map((length) => 'Say it again. '.repeat(length / 14));

export const texts: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 3, arbitrary: fc.tuple(words, fc.constantFrom(...unusualTexts)).map((both) => both.join(' ')) },
  { weight: 1, arbitrary: longTexts },
);

const described = (type: string, more: JsonObject = {}) =>
  texts.map((description): JsonObject => ({ type, description, ...more }));
const simple = fc.constantFrom('string', 'number', 'integer', 'boolean').chain((type) => described(type));

/** A parameter of a tool: a simple type, an enum, an array or an object (contract 2.3). */
const parameters: Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.constant(['celsius', 'kelvin']).chain((all) => described('string', { enum: all })),
  },
  { weight: 1, arbitrary: simple.chain((items) => described('array', { items })) },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(identifiers, simple, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
      .chain((properties) => described('object', { properties, required: Object.keys(properties) })),
  },
);

/** Names of letters, digits, underscores and hyphens. */
const names = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,11}$/);

type Tool = { readonly type: 'function'; readonly function: JsonObject & { readonly name: string } };

const tools: Arbitrary<Tool> = fc
  .record({
    name: names,
    description: texts,
    properties: fc.dictionary(identifiers, parameters, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    required: fc.nat(2),
  })
  .map(({ name, description, properties, required }) => ({
    type: 'function',
    function: {
      name,
      description,
      // At least one name: the contract has no rule for an empty array (D-126).
      parameters: { type: 'object', properties, required: Object.keys(properties).slice(0, required + 1) },
    },
  }));

const toolSets = fc.uniqueArray(tools, {
  minLength: 1,
  maxLength: 3,
  selector: ({ function: { name } }) => name,
});

/** A question, perhaps with tool calls and a completion. */
type Round = {
  readonly question: string;
  readonly name: string | null;
  /** A system message before the question. */
  readonly briefing: string | null;
  readonly calls: readonly { readonly at: number; readonly arguments: JsonObject; readonly result: string }[];
  readonly said: string | null;
  readonly areResultsBackwards: boolean;
  readonly completion: string;
};

const rounds: Arbitrary<Round> = fc.record({
  question: texts,
  name: fc.option(names, { freq: 3 }),
  briefing: fc.option(texts, { freq: 4 }),
  calls: fc.array(
    fc.record({
      at: fc.nat(),
      arguments: fc.dictionary(identifiers, fc.oneof(fc.integer(), texts), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      result: fc.oneof(
        texts,
        fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
      ),
    }),
    { maxLength: 3 },
  ),
  said: fc.option(texts),
  areResultsBackwards: fc.boolean(),
  completion: texts,
});

/** The end of a conversation when it is sent: a question, or the results of tool calls. */
type End = 'question' | 'results';

export type Conversation = {
  readonly messages: readonly JsonObject[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: 'auto' | 'none';
};

/**
 * Conversations in every shape that the contract shows (2.2, 2.4, 3): with names, one or more tool calls, text
 * beside the calls, results in any order, and several rounds.
 */
export const conversations: Arbitrary<Conversation> = fc
  .record({
    system: fc.option(texts),
    tools: fc.option(toolSets),
    choice: fc.option(fc.constantFrom('auto' as const, 'none' as const)),
    rounds: fc.array(rounds, { minLength: 1, maxLength: 3 }),
    end: fc.constantFrom<End>('question', 'results'),
  })
  .map(({ system, tools: set, choice, rounds: all, end }) => ({
    messages: [
      ...(system === null ? [] : [{ role: 'system', content: system }]),
      ...all.flatMap((round, index) =>
        buildMessages(round, index, set ?? [], index < all.length - 1 ? 'completion' : end),
      ),
    ],
    ...(set !== null && { tools: set, ...(choice !== null && { tool_choice: choice }) }),
  }));

function buildMessages(
  { question, name, briefing, calls, said, areResultsBackwards, completion }: Round,
  index: number,
  set: readonly Tool[],
  end: End | 'completion',
): readonly JsonObject[] {
  const asked = [
    ...(briefing === null ? [] : [{ role: 'system', content: briefing }]),
    { role: 'user', content: question, ...(name !== null && { name }) },
  ];
  if (end === 'question') return asked;
  const made =
    set.length === 0
      ? []
      : calls.map(({ at, ...rest }, nth) => ({
          id: `call_${index}_${nth}`,
          name: set[at % set.length]?.function.name ?? '',
          ...rest,
        }));
  const assistant = {
    role: 'assistant',
    ...(said !== null && { content: said }),
    tool_calls: made.map(({ id, name: called, arguments: values }) => ({
      id,
      type: 'function',
      function: { name: called, arguments: JSON.stringify(values) },
    })),
  };
  const results = made.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }));
  const called =
    made.length === 0 ? [] : [assistant, ...(areResultsBackwards ? results.toReversed() : results)];
  return [...asked, ...called, ...(end === 'completion' ? [{ role: 'assistant', content: completion }] : [])];
}
