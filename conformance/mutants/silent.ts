import type { Edge } from './edge.ts';
import { endpointOf, withHeader } from './wire-edits.ts';

/**
 * A deployment that gives no answer to judge. Nothing may be held against it, for what does not answer breaks no sentence, and
 * nothing may be found right either: the run is incomplete, or judges nothing where no response comes.
 */
export type Silent = { readonly id: string; readonly does: string; readonly edge: () => Edge };

const timeoutMs = 400;
/** How long a run waits for such a deployment. */
export const silentPatience = { timeoutMs };

export const silentDeployments: readonly Silent[] = [
  silent('hangs', 'never answers', { send: () => undefined }),
  silent('hangs-half-way', 'sends half of each answer and no more', {
    send: (response, { status, headers, text }) => {
      response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) + 1 }).write(text);
    },
  }),
  silent('cuts-connections', 'cuts every connection', { send: (response) => response.destroy() }),
  silent('speaks-no-http', 'answers in no HTTP', {
    send: ({ socket }) => socket?.end('220 mail.example ESMTP\r\n'),
  }),
  silent('is-away', 'is away for maintenance', { answer: (reply) => ({ ...reply, status: 503 }) }),
  silent('is-behind-a-dead-proxy', 'stands behind a proxy that cannot reach it', {
    answer: () => ({ status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad gateway</h1>' }),
  }),
  silent('is-away-for-a-second', 'says with 503 when it will be back, and never is', {
    answer: (reply, asked) =>
      endpointOf(asked) ? withHeader({ ...reply, status: 503 }, 'Retry-After', '1') : reply,
  }),
  silent('lists-models-and-hangs', 'answers nothing but which models there are', {
    send: (response, { status, headers, text }, asked) => {
      if (!endpointOf(asked)) response.writeHead(status, headers).end(text);
    },
  }),
  silent('is-too-busy', 'answers 429 to every inference', {
    answer: (reply, asked) =>
      endpointOf(asked) ? withHeader({ ...reply, status: 429 }, 'Retry-After', '1') : reply,
  }),
];

function silent(id: string, does: string, edge: Edge): Silent {
  return { id, does, edge: () => edge };
}
