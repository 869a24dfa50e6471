import { isStreamed, takingStreams } from './conditions.ts';
import type { Edge } from './edge.ts';
import type { Reply } from './message.ts';
import { isObject, type Json, parsed } from './wire-edits.ts';

/** The chunks of a stream, and the text that they become. */
export type StreamEdit = {
  readonly chunks?: (chunks: readonly Json[]) => readonly Json[];
  readonly text?: (text: string) => string;
  readonly reply?: (reply: Reply) => Reply;
};

/** An edge that streams each completion in OpenAI's form, of a gateway that does not stream. */
export function streaming({
  chunks: edit = (each) => each,
  text: write = (text) => text,
  reply: change = (reply) => reply,
}: StreamEdit = {}): () => Edge {
  return takingStreams({
    edge: (): Edge => ({
      respond(reply, asked) {
        const completion = reply.status === 200 && isStreamed(asked, []) ? parsed(reply.text) : undefined;
        if (!isObject(completion) || !Array.isArray(completion['choices'])) return reply;
        const events = edit(listChunks(completion)).map((chunk) => formatEvent(JSON.stringify(chunk)));
        const headers = { ...reply.headers, 'Content-Type': 'text/event-stream' };
        return change({ ...reply, headers, text: write(`${events.join('')}${formatEvent('[DONE]')}`) });
      },
    }),
  }).edge;
}

function listChunks({ id, created, model, object, choices, usage }: Json): readonly Json[] {
  const isChat = object === 'chat.completion';
  const common = { id, created, model, object: isChat ? 'chat.completion.chunk' : object };
  const [choice]: readonly Json[] = Array.isArray(choices) ? choices : [];
  const message = choice?.['message'];
  const written = String((isObject(message) ? message['content'] : choice?.['text']) ?? '');
  const half = Math.ceil(written.length / 2);
  const chunk = (text: string, finish_reason: unknown = null, more: object = {}) => {
    const content = isChat ? { delta: { ...more, content: text } } : { text };
    return { ...common, choices: [{ index: 0, ...content, finish_reason }], usage: null };
  };
  return [
    chunk(written.slice(0, half), null, { role: 'assistant' }),
    chunk(written.slice(half)),
    chunk('', choice?.['finish_reason'] ?? null),
    { ...common, choices: [], usage },
  ];
}

function formatEvent(data: string): string {
  return `data: ${data}\n\n`;
}
