import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { streamDone } from '@paid-inference/contract/constants';
import type { ChatCompletion, TextCompletion } from '@paid-inference/contract/types';
import type { Recorded } from './recording.ts';
import type { Breakage } from './scenario.ts';

export type Completion = ChatCompletion | TextCompletion;

/** The options of a stream (`stream_options`). */
export type StreamForm = { readonly asksForUsage: boolean };

type Wire = { readonly response: ServerResponse; readonly recorded: Recorded };

const reactions: Readonly<Record<Breakage, string>> = {
  unstarted: '200 with a stream that breaks before its first event',
  cut: '200 with half of a stream',
  undone: `200 with a stream without ${streamDone}`,
  silence: '200 with half of a stream, and silence',
  error: '200 with a stream that ends with an error',
};

/** Streams a completion in OpenAI's format (D-267), or a part of it. */
export async function sendStream(
  wire: Wire,
  completion: Completion,
  form: StreamForm,
  headers: Readonly<Record<string, string>>,
  breakage: Breakage | undefined,
  silenceMs: number,
): Promise<void> {
  const { response, recorded } = wire;
  recorded.reaction = breakage === undefined ? '200 with a stream' : reactions[breakage];
  response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
  const events = listEvents(completion, form);
  const half = events.slice(0, events.length / 2).join('');
  const write = (text: string) => new Promise<void>((resolve) => response.write(text, () => resolve()));
  switch (breakage) {
    case undefined:
      return deliver(wire, `${events.join('')}${formatEvent(streamDone)}`);
    case 'unstarted':
      // Sends the headers at once.
      await write(': wait\n\n');
      break;
    case 'cut':
      await write(half);
      break;
    case 'undone':
      response.end(events.join(''));
      return;
    case 'silence':
      await write(half);
      await delay(silenceMs, undefined, { ref: false });
      break;
    case 'error': {
      const error = { message: 'The model failed.', type: 'server_error', code: 'internal_error' };
      response.end(`${half}${formatEvent(JSON.stringify({ error }))}`);
      return;
    }
  }
  response.destroy();
}

/** Ends a response, and notes when all of it was written to an open connection. */
export function deliver({ response, recorded }: Wire, body: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.end(body, () => {
      recorded.isDelivered = true;
      resolve();
    });
  });
}

/** The events of a stream without its end. The first chunk has the role, and the last one the reason of the end. */
function listEvents(completion: Completion, { asksForUsage }: StreamForm): readonly string[] {
  const { id, created, model, usage, choices } = completion;
  const [choice] = choices;
  if (choice === undefined) return [];
  const isChat = 'message' in choice;
  const object = isChat ? 'chat.completion.chunk' : 'text_completion';
  const text = isChat ? choice.message.content : choice.text;
  const chunk = (parts: readonly object[], more: object = asksForUsage ? { usage: null } : {}) =>
    formatEvent(JSON.stringify({ id, object, created, model, choices: parts, ...more }));
  const part = (written: string, finish_reason: string | null = null, more: object = {}) => {
    const content = isChat ? { delta: { ...more, content: written } } : { text: written };
    return chunk([{ index: 0, ...content, finish_reason }]);
  };
  return [
    part('', null, { role: 'assistant' }),
    ...(text ?? '').split(/(?<= )/).map((word) => part(word)),
    part('', choice.finish_reason),
    ...(asksForUsage ? [chunk([], { usage })] : []),
  ];
}

function formatEvent(data: string): string {
  return `data: ${data}\n\n`;
}
