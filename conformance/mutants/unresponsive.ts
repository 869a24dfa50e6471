import type { Edge } from './edge.ts';
import { endpointOf, withHeader } from './wire-edits.ts';

/**
 * A deployment that gives no answer to judge. Nothing may be held against it, for what does not answer breaks no sentence, and
 * nothing may be found right either: the run is incomplete, or judges nothing where no response comes.
 */
export type Unresponsive = { readonly id: string; readonly does: string; readonly edge: () => Edge };

const timeoutMs = 400;
/** How long a run waits for such a deployment. */
export const unresponsiveLimits = { timeoutMs };

export const unresponsiveDeployments: readonly Unresponsive[] = [
  unresponsive('hangs', 'never answers', { send: () => undefined }),
  unresponsive('hangs-half-way', 'sends half of each answer and no more', {
    send: (response, { status, headers, text }) => {
      response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) + 1 }).write(text);
    },
  }),
  unresponsive('cuts-connections', 'cuts every connection', { send: (response) => response.destroy() }),
  unresponsive('speaks-no-http', 'answers in no HTTP', {
    send: ({ socket }) => socket?.end('220 mail.example ESMTP\r\n'),
  }),
  unresponsive('is-away', 'is away for maintenance', { answer: (reply) => ({ ...reply, status: 503 }) }),
  unresponsive('is-behind-a-dead-proxy', 'stands behind a proxy that cannot reach it', {
    answer: () => ({ status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad gateway</h1>' }),
  }),
  unresponsive('is-away-for-a-second', 'says with 503 when it will be back, and never is', {
    answer: (reply, asked) =>
      endpointOf(asked) ? withHeader({ ...reply, status: 503 }, 'Retry-After', '1') : reply,
  }),
  unresponsive('lists-models-and-hangs', 'answers nothing but which models there are', {
    send: (response, { status, headers, text }, asked) => {
      if (!endpointOf(asked)) response.writeHead(status, headers).end(text);
    },
  }),
  unresponsive('is-too-busy', 'answers 429 to every inference', {
    answer: (reply, asked) =>
      endpointOf(asked) ? withHeader({ ...reply, status: 429 }, 'Retry-After', '1') : reply,
  }),
];

function unresponsive(id: string, does: string, edge: Edge): Unresponsive {
  return { id, does, edge: () => edge };
}
