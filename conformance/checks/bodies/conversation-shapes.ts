import type { ChatCompletionRequest, Message } from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { validRequest, weatherTool } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement } from '../../types/verdict.ts';
import { isServed } from '../unpaid/served-unpaid.ts';

type Shape = Pick<ChatCompletionRequest, 'messages' | 'tools'>;

const system: Message = { role: 'system', content: 'Be brief.' };
const user: Message = { role: 'user', content: 'Say pong.' };
const assistant: Message = { role: 'assistant', content: 'Pong.' };
const calling: Message = {
  role: 'assistant',
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
  ],
};
const result: Message = { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":4}' };

const messagesOfLong = 24;

/**
 * Forms of conversations that no other fixed check sends: each role alone, first, and last (§2.1, §2.2). A
 * gateway may refuse a conversation that no model could continue, so only a completion without payment is wrong
 * (D-155). It must accept those that end with a question (D-240).
 */
const shapes: Readonly<Record<string, Shape>> = {
  'a system message alone': { messages: [system] },
  'an assistant message alone': { messages: [assistant] },
  'a tool message alone': { messages: [result] },
  'an assistant message at the end': { messages: [user, assistant] },
  'a tool call at the end': { messages: [user, calling], tools: [weatherTool] },
  'a system message at the end': { messages: [user, system] },
  'a tool message at the start': { messages: [result, user] },
  'two system messages': { messages: [system, system] },
  'a completion after a result': { messages: [user, calling, result, assistant], tools: [weatherTool] },
  'a conversation of many messages': {
    messages: Array.from({ length: messagesOfLong }, (_, at) => (at % 2 ? assistant : user)),
  },
};

/** Sends unpaid conversations of every form. */
export const conversationShapeChecks = [
  check('unpaid.never-200', 'No form of conversation is served without payment', (context) =>
    // A gateway that returns no 402 fails other checks.
    given(paymentRequired(context, 'chat'), () => judgeShapes(context)),
  ),
];

async function judgeShapes(context: Context): Promise<Judgement> {
  let open: Judgement | undefined;
  const served: string[] = [];
  for (const [words, shape] of Object.entries(shapes)) {
    const answered = await context.ask(validRequest('chat', { model: context.model, ...shape }));
    if (!answered.ok) return answered.verdict;
    if (isServed(context, answered.value)) served.push(`${describe(answered.value)} for ${words}`);
    open ??= judgeTransient(answered.value);
  }
  if (served.length > 0) return broken('no success without payment', served.join('; '));
  return open ?? holds(`${Object.keys(shapes).length} forms of conversations`);
}
