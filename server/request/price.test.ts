import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { describe, expect, it } from 'vitest';
import type { RateCard } from '../inference/catalog.ts';
import type { ChatTask, TextTask } from '../inference/engine.ts';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { atomicAmount } from '../types/units.ts';
import { computePrice, estimateInputTokens } from './price.ts';

type Messages = ChatCompletionRequest['messages'];

function rates(inputPerMillion: bigint, outputPerMillion: bigint, minimum: bigint): RateCard {
  return {
    inputPerMillion: atomicAmount(inputPerMillion),
    outputPerMillion: atomicAmount(outputPerMillion),
    minimum: atomicAmount(minimum),
  };
}

describe('D-16: max(minimum, ceil((input × input rate + max_tokens × output rate) / 1e6))', () => {
  it.each<[string, number, number, RateCard, bigint]>([
    ['an empty task costs the minimum', 0, 0, rates(1n, 1n, 7n), 7n],
    ['an empty task is free without a minimum', 0, 0, rates(1n, 1n, 0n), 0n],
    ['a millionth of a unit is rounded up to one', 1, 0, rates(1n, 0n, 0n), 1n],
    ['a whole number is not rounded', 1, 0, rates(1_000_000n, 0n, 0n), 1n],
    ['one millionth more is rounded up', 1, 1, rates(1_000_000n, 1n, 0n), 2n],
    ['the sum is rounded, not its parts', 1, 1, rates(500_000n, 500_000n, 0n), 1n],
    ['below the minimum: the minimum', 10, 10, rates(100_000n, 100_000n, 3n), 3n],
    ['at the minimum: the minimum', 10, 20, rates(100_000n, 100_000n, 3n), 3n],
    ['above the minimum: the price', 10, 21, rates(100_000n, 100_000n, 3n), 4n],
    [
      'beyond 2^53: exact to the unit',
      2 ** 31,
      2 ** 31,
      rates(10n ** 15n, 1n, 0n),
      2n ** 31n * 10n ** 9n + 2_148n,
    ],
  ])('%s', (_name, inputTokens, maxTokens, rateCard, price) => {
    expect(computePrice(inputTokens, maxTokens, rateCard)).toBe(price);
  });

  const seed = testSeed();
  it(`follows the formula and never falls when a count rises (seed ${seed})`, () => {
    const random = randomValues(seed);
    for (let round = 0; round < 500; round++) {
      const [input, output] = [random.below(1_000_000), random.below(100_000)];
      const [inputRate, outputRate] = [BigInt(random.below(10_000_000)), BigInt(random.below(10_000_000))];
      const rateCard = rates(inputRate, outputRate, BigInt(random.below(1_000)));
      const price = computePrice(input, output, rateCard);
      const micro = BigInt(input) * inputRate + BigInt(output) * outputRate;
      expect(price >= rateCard.minimum && price * 1_000_000n >= micro).toBe(true);
      expect(price === rateCard.minimum || (price - 1n) * 1_000_000n < micro).toBe(true);
      expect(computePrice(input + 1, output, rateCard) >= price).toBe(true);
      expect(computePrice(input, output + 1, rateCard) >= price).toBe(true);
    }
  });
});

const perMessage = 4;
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } } as const;
const tool = { type: 'function', function: { name: 'look', description: 'Looks.' } } as const;

function text(prompt: string): number {
  const rest = { model: 'm', maxTokens: 1, temperature: 1, stop: [], fields: {} } as const;
  return estimateInputTokens({ kind: 'text', prompt, ...rest } satisfies TextTask);
}

function chat(messages: Messages, tools: ChatTask['tools'] = [], fields: ChatTask['fields'] = {}): number {
  const rest = { model: 'm', maxTokens: 1, temperature: 1, stop: [], toolChoice: { mode: 'auto' } } as const;
  return estimateInputTokens({ kind: 'chat', messages, tools, fields, ...rest });
}

describe('D-16: a quarter of the UTF-8 bytes, rounded up', () => {
  it.each<[string, number]>([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['éé', 1],
    ['🙂', 1],
    ['🙂a', 2],
    ['x'.repeat(1_000), 250],
  ])('of the prompt %j', (prompt, tokens) => {
    expect(text(prompt)).toBe(tokens);
  });

  it('plus four for each message', () => {
    expect(chat([{ role: 'user', content: '' }])).toBe(perMessage);
    expect(chat(Array(10).fill({ role: 'user', content: 'abcd' }))).toBe(10 * (perMessage + 1));
  });

  it('null content counts zero', () => {
    expect(chat([{ role: 'assistant', content: null, tool_calls: [] }])).toBe(perMessage);
  });
});

describe('Every part of the input counts', () => {
  it('the schema of a completion, as its JSON, and no other field of an OpenAI client', () => {
    const message: Messages = [{ role: 'user', content: '' }];
    const json_schema = { name: 'n', schema: { title: 'x'.repeat(400) } };
    const schemaTokens = Math.ceil(JSON.stringify(json_schema).length / 4);
    expect(chat(message, [], { response_format: { type: 'json_schema', json_schema } })).toBe(
      chat(message) + schemaTokens,
    );
    const others = { user: 'x'.repeat(400), metadata: { run: 'x'.repeat(400) }, seed: 7 };
    expect(chat(message, [], { ...others, response_format: { type: 'json_object' } })).toBe(chat(message));
  });

  const long = 'x'.repeat(400);
  it.each<[string, Messages, Messages]>([
    ['content', [{ role: 'user', content: '' }], [{ role: 'user', content: long }]],
    ['a name', [{ role: 'user', content: '' }], [{ role: 'user', content: '', name: long }]],
    [
      'the arguments of a call',
      [{ role: 'assistant', tool_calls: [call] }],
      [
        {
          role: 'assistant',
          tool_calls: [{ ...call, function: { ...call.function, arguments: `${long}{"at":"x"}` } }],
        },
      ],
    ],
    [
      'the name of a called function',
      [{ role: 'assistant', tool_calls: [call] }],
      [{ role: 'assistant', tool_calls: [{ ...call, function: { ...call.function, name: `look${long}` } }] }],
    ],
    [
      'the id of a call',
      [{ role: 'assistant', tool_calls: [call] }],
      [{ role: 'assistant', tool_calls: [{ ...call, id: `${long}call_1` }] }],
    ],
    [
      'the id in a tool message',
      [{ role: 'tool', content: '', tool_call_id: '' }],
      [{ role: 'tool', content: '', tool_call_id: long }],
    ],
  ])('%s', (_name, without, withIt) => {
    expect(chat(withIt) - chat(without)).toBe(100);
  });

  it('tools, with each of their fields', () => {
    const ask: Messages = [{ role: 'user', content: 'x' }];
    const bare = chat(ask, [tool]);
    expect(bare).toBeGreaterThan(chat(ask));
    for (const change of [{ name: `look${long}` }, { description: `Looks.${long}` }]) {
      expect(chat(ask, [{ ...tool, function: { ...tool.function, ...change } }]) - bare).toBe(100);
    }
    const parameters = { type: 'object', properties: { at: { type: 'string', description: long } } };
    expect(chat(ask, [{ ...tool, function: { ...tool.function, parameters } }]) - bare).toBeGreaterThan(100);
  });
});

it('The order of keys does not change the count', () => {
  const { type, function: made } = call;
  const turned = { function: { arguments: made.arguments, name: made.name }, type, id: call.id };
  const tools = [tool, { function: { description: 'Looks.', name: 'look' }, type: 'function' }] as const;
  expect(chat([{ role: 'assistant', tool_calls: [turned] }])).toBe(
    chat([{ role: 'assistant', tool_calls: [call] }]),
  );
  expect(chat([], [tools[1]])).toBe(chat([], [tools[0]]));
});
