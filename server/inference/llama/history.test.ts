import { expect, test } from 'vitest';
import { writeHistory } from './history.ts';

const call = (id: string, name: string, written: string) =>
  ({ id, type: 'function', function: { name, arguments: written } }) as const;

test('writes a conversation, and an open item for the completion', () => {
  const history = writeHistory([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: 'Bye' },
  ]);
  expect(history).toEqual([
    { type: 'system', text: 'Be short.' },
    { type: 'user', text: 'Hello' },
    { type: 'model', response: ['Hi.'] },
    { type: 'user', text: 'Bye' },
    { type: 'model', response: [] },
  ]);
});

test('joins calls with their results, in the order of the calls', () => {
  const history = writeHistory([
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('1', 'look', '{"at":"Rome"}'), call('2', 'look', '{}')],
    },
    { role: 'tool', tool_call_id: '2', content: 'no JSON' },
    { role: 'tool', tool_call_id: '1', content: '{"rain":true}' },
  ]);
  const look = { type: 'functionCall', name: 'look' };
  expect(history.at(-1)).toEqual({
    type: 'model',
    response: [
      { ...look, params: { at: 'Rome' }, result: { rain: true }, startsNewChunk: true },
      { ...look, params: {}, result: 'no JSON', startsNewChunk: false },
    ],
  });
});

test('gives a result without a call a call of its own (D-96)', () => {
  const history = writeHistory([{ role: 'tool', tool_call_id: 'lost', name: 'look', content: '7' }]);
  expect(history).toMatchObject([{ type: 'model', response: [{ name: 'look', result: 7 }] }]);
});
