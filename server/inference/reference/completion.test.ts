import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import type { ChatTask } from '../engine.ts';
import { countTextTokens, loadTokenizer } from '../tokens.ts';
import { completeChat, continuePrompt } from './completion.ts';
import { readConversation } from './conversation.ts';
import { createWording } from './wording.ts';

await loadTokenizer();

const introduction: ChatTask['messages'] = [
  { role: 'user', content: 'Hello, my name is Ada and my favourite colour is teal.' },
  { role: 'assistant', content: 'Hello Ada.' },
];

test.each([
  ['Say hello', 'hello'],
  ['say "hi there" and nothing else', 'hi there'],
  ['Please repeat after me: I like it. Really.', 'I like it. Really.'],
  ['Reply with exactly: pong', 'pong'],
  ['Respond with the word OK.', 'OK'],
  ['Echo “two words”', 'two words'],
  ['What is 2 + 2?', '2 + 2 = 4.'],
  ['what is (3 + 4) * 2 - 10 / 4', '(3 + 4) * 2 - 10 / 4 = 11.5.'],
  ['How much is 12 times 12?', '12 * 12 = 144.'],
  ['1,000 divided by 8 =', '125'],
  ['2 ^ 10', '2 ^ 10 = 1024.'],
  ['What is 1/0?', '1 / 0 is undefined.'],
  ['Answer with only the number: what is 7 x 8?', '56'],
  ['Count to 5', '1, 2, 3, 4, 5'],
  ['count down from 3 to 1', '3, 2, 1'],
  ['How many words are in "the quick brown fox"?', 'There are 4 words in that text.'],
  ['Count the letters in: a b!', 'There are 2 letters in that text.'],
  [
    "How many r's are in strawberry?",
    'The letter “r” occurs 3 times in “strawberry”, at position 3, 8 and 9.',
  ],
  ['How many z are in pizza', 'The letter “z” occurs 2 times in “pizza”, at position 3 and 4.'],
])('%s', (question, completion) => {
  expect(completionOf([{ role: 'user', content: question }])).toBe(completion);
});

describe('answers from the conversation', () => {
  test.each([
    ['What is my name?', 'Your name is Ada.'],
    ['what’s my favourite colour?', 'Your favourite colour is teal.'],
    ['What did I say first?', 'You said: “Hello, my name is Ada and my favourite colour is teal.”'],
    ['What did you say?', 'I said: “Hello Ada.”'],
    [
      'Please summarise our conversation.',
      'Our conversation so far has 2 messages, 1 of yours and 1 of mine. You said “Hello, my name is Ada and my favourite colour is teal.” and I answered “Hello Ada.”.',
    ],
  ])('%s', (content, completion) => {
    expect(completionOf([...introduction, { role: 'user', content }])).toBe(completion);
  });

  test('invents nothing that was not said', () => {
    const completion = completionOf([...introduction, { role: 'user', content: 'What is my age?' }]);
    expect(completion).toContain('What is my age?');
    expect(completion).toContain('reference engine');
  });
});

test('summarises a text by its first and last sentence', () => {
  const content = 'Summarize: The cat sat. It was happy. Then it left.';
  expect(completionOf([{ role: 'user', content }])).toBe(
    'In short, of 3 sentences: The cat sat. … Then it left.',
  );
});

test('keeps a paragraph below the default of max_tokens, whatever it quotes', () => {
  const dear = [
    '👩‍👩‍👧',
    ' {"a":<|endoftext|>',
    '漢字',
    ' 3456789',
    '𓀀',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    ' ᚠᚢᚦ',
    ' zq9x7j',
    ' камень {"a":',
    '\u0e0f\u0e4e\u0e4e',
  ];
  for (const one of dear) {
    for (const other of dear) {
      const [words, others] = [one.repeat(30), other.repeat(30)];
      const messages = [
        { role: 'system', content: others },
        { role: 'user', content: others },
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: `Tell me more of ${words}` },
      ] satisfies ChatTask['messages'];
      for (const seed of ['a', 'b', 'c', 'd']) {
        const wording = createWording(seed);
        const told = completeChat(readConversation(messages), wording);
        expect(countTextTokens(told), told).toBeLessThan(100);
        const continued = continuePrompt(words + others, wording);
        expect(countTextTokens(continued), continued).toBeLessThan(100);
      }
    }
  }
});

test('answers any other message with a paragraph about it, the earlier messages and the system message', () => {
  const completion = completionOf([
    { role: 'system', content: 'You are a pirate.' },
    ...introduction,
    { role: 'user', content: 'Write a poem about autumn leaves and rivers.' },
  ]);
  for (const part of [
    'Write a poem about autumn',
    'You are a pirate',
    '2 messages',
    'Hello, my name',
    'autumn',
    'reference engine',
  ])
    expect(completion).toContain(part);
});

test('follows a system message that asks for upper or lower case', () => {
  const messages = (content: string): ChatTask['messages'] => [
    { role: 'system', content },
    { role: 'user', content: 'Say Hello' },
  ];
  expect(completionOf(messages('Answer in UPPERCASE.'))).toBe('HELLO');
  expect(completionOf(messages('Only lower case, please.'))).toBe('hello');
  expect(completionOf(messages('Be kind.'))).toBe('Hello');
});

test.each([
  ['say something nice', 'say something nice'],
  ['From 3-4 o’clock on 2024-05-06', 'From 3-4 o’clock'],
  ['', 'empty'],
])('answers %j, which matches no rule, with a paragraph', (content, part) => {
  const completion = completionOf([{ role: 'user', content }]);
  expect(completion).toContain(part);
  expect(completion).toContain('reference engine');
});

test('answers a conversation without a user message', () => {
  expect(completionOf([{ role: 'system', content: 'Be kind.' }])).toContain('Be kind.');
});

test.each([
  ['2 + 2 =', '4'],
  ['1, 2, 3,', ' 4, 5, 6, '],
  ['10, 8, 6', ', 4, 2, 0, -2'],
  ['Say hi', 'hi'],
  ['Once upon a time in a land of rivers', ' '],
  ['', ''],
])('continues %j with %j', (prompt, beginning) => {
  expect(continuePrompt(prompt, createWording('test')).startsWith(beginning)).toBe(true);
});

test.each([
  ['{"temperature":18,"unit":"celsius"}', 'According to get_weather, temperature is 18 and unit is celsius.'],
  [
    '{"wind":{"speed_kmh":5,"gusts":[7,9]}}',
    'According to get_weather, wind speed kmh is 5 and wind gusts are 7 and 9.',
  ],
  ['[{"day":"Mon"},{"day":"Tue"}]', 'According to get_weather, item 1 day is Mon and item 2 day is Tue.'],
  ['42', 'According to get_weather, the answer is 42.'],
  ['"sunny"', 'According to get_weather, the answer is sunny.'],
  ['{"rain":null}', 'According to get_weather, rain is unknown.'],
  ['{}', 'get_weather answered with an empty result.'],
  ['It is sunny.', 'get_weather answered: It is sunny.'],
  ['', 'get_weather answered nothing.'],
])('writes the tool result %j as %j', (content, told) => {
  const call = { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } } as const;
  const asked: ChatTask['messages'] = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', tool_calls: [call] },
  ];
  expect(completionOf([...asked, { role: 'tool', tool_call_id: 'a', content }])).toBe(told);
});

test('writes several tool results in order, also that of an unknown call', () => {
  const completion = completionOf([
    { role: 'tool', tool_call_id: 'x', content: '{"a":1}' },
    { role: 'tool', tool_call_id: 'y', content: 'two' },
  ]);
  expect(completion).toBe('According to the tool, a is 1. The tool answered: two');
});

describe('a hostile message takes little time', () => {
  const characters = 300_000;
  test.each([
    ['quotation marks that never close', `how many words are in ${'“'.repeat(characters)}`],
    ['spaces', `say ${' '.repeat(characters)}x`],
    ['a summary of full stops', `summarize: ${'.'.repeat(characters)}`],
    ['brackets', `what is ${'('.repeat(characters)}1`],
    ['digits', `what is ${'1+'.repeat(characters)}1`],
    ['apostrophes', `count the words in ${"'a' ".repeat(characters / 4)}`],
    ['capitals', `write ${'aB'.repeat(characters / 2)}`],
    ['commas', `1, 2, 3${','.repeat(characters)}`],
  ])('%s', (_, content) => {
    const started = cpuMs();
    completionOf([...introduction, { role: 'user', content }]);
    continuePrompt(content, createWording('test'));
    // Measured: below 0.1 s each.
    expect(cpuMs() - started).toBeLessThan(3_000);
  });

  test('a deep result', () => {
    const content = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(completionOf([{ role: 'tool', tool_call_id: 'x', content }])).toContain('holds more');
  });
});

function completionOf(messages: ChatTask['messages']): string {
  return completeChat(readConversation(messages), createWording('test'));
}
