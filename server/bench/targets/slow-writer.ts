import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

/** The number of words of each completion. */
const words = 16;
const identity = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'slow-writer' };
const usage = { prompt_tokens: 1, completion_tokens: words, total_tokens: words + 1 };

/** A fake upstream that writes each completion word by word, with and without a stream in the same time. */
export async function startSlowWriter(writesMs: number): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.end('{}');
    const { stream = false } = (await json(request)) as { readonly stream?: boolean };
    if (stream) return writeStream(response, writesMs);
    await wait(writesMs);
    const message = { role: 'assistant', content: 'word '.repeat(words) };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ ...identity, object: 'chat.completion', choices, usage }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function writeStream(response: ServerResponse, writesMs: number): Promise<void> {
  const write = (choices: readonly object[], more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    );
  response.setHeader('Content-Type', 'text/event-stream');
  for (let word = 0; word < words; word++) {
    write([{ index: 0, delta: { role: 'assistant', content: 'word ' }, finish_reason: null }]);
    await wait(writesMs / words);
  }
  write([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  write([], { usage });
  response.end('data: [DONE]\n\n');
}
