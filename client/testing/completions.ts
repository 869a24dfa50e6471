import { endpoints } from '@paid-inference/contract/constants';
import { type ErrorCode, errorTable } from '@paid-inference/contract/errors';
import type { CatalogModelList, ChatCompletion, TextCompletion } from '@paid-inference/contract/types';

export const testModel = 'alder/alder-mini';

export const catalog: CatalogModelList = {
  object: 'list',
  data: [
    {
      id: testModel,
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'alder',
      engine: 'test',
      context_length: 8_192,
      max_output_tokens: 2_048,
      pricing: { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' },
    },
  ],
};

const usage = { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 };
const head = { created: 1_700_000_000, model: testModel, usage };

/** A completion "pong", or a call of the first tool unless the last message is a tool result. */
export function completionFor(path: string, body: string): string {
  if (path === endpoints.createCompletion.path) {
    const choices = [{ index: 0, text: 'pong', finish_reason: 'stop' }];
    return JSON.stringify({
      id: 'cmpl-1',
      object: 'text_completion',
      ...head,
      choices,
    } satisfies TextCompletion);
  }
  const request = JSON.parse(body);
  const tool: string | undefined = request.tools?.[0]?.function.name;
  if (tool === undefined || request.messages.at(-1).role === 'tool') return chat('pong', []);
  return chat(null, [tool]);
}

function chat(content: string | null, tools: readonly string[]): string {
  const calls = tools.map((name) => ({
    id: 'call-1',
    type: 'function' as const,
    function: { name, arguments: '{}' },
  }));
  const message = { role: 'assistant' as const, content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }];
  const completion: ChatCompletion = { id: 'chatcmpl-1', object: 'chat.completion', ...head, choices };
  return JSON.stringify(completion);
}

/** The proof in the comment of a stream. It is not valid. */
export const streamedProof = 'cHJvb2Y=';

/** The events of a completion that is streamed by words, and its calls in two parts each. */
export function streamedEvents(completion: ChatCompletion | TextCompletion): string[] {
  const { id, created, model, usage, choices } = completion;
  const isChat = completion.object === 'chat.completion';
  const chunk = (parts: object[], more: object = { usage: null }) =>
    `data: ${JSON.stringify({ id, object: isChat ? 'chat.completion.chunk' : 'text_completion', created, model, choices: parts, ...more })}\n\n`;
  const part = (content: object, finish_reason: string | null = null) => [
    { index: 0, ...(isChat ? { delta: content } : content), finish_reason },
  ];
  const [choice] = choices;
  if (choice === undefined) throw new Error('a test completion has no choice');
  const { content, tool_calls: calls = [] } =
    'message' in choice ? choice.message : { content: choice.text, tool_calls: [] };
  const words = (content ?? '').match(/\s*\S+/g) ?? [];
  const texts = isChat
    ? [
        part({ role: 'assistant', content: content === null ? null : '' }),
        ...words.map((each) => part({ content: each })),
      ]
    : words.map((text) => part({ text }));
  const called = calls.flatMap(({ id: call, type, function: { name, arguments: written } }, index) => [
    part({ tool_calls: [{ index, id: call, type, function: { name, arguments: '' } }] }),
    part({ tool_calls: [{ index, function: { arguments: written } }] }),
  ]);
  return [
    ...[...texts, ...called, part(isChat ? {} : { text: '' }, choice.finish_reason)].map((each) =>
      chunk(each),
    ),
    chunk([], { usage }),
    `: X-INFERENCE-PROOF: ${streamedProof}\n\n`,
    'data: [DONE]\n\n',
  ];
}

export function envelope(code: ErrorCode | undefined): string {
  if (code === undefined) return '<html>not ours</html>';
  return JSON.stringify({
    error: { message: `an error of a test: ${code}`, type: errorTable[code].type, code, param: null },
  });
}
