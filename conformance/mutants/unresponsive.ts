import type { Edge } from './edge.ts';
import { findEndpoint, withHeader } from './wire-edits.ts';

/**
 * A deployment that sends no response to judge. Without a response it breaks no sentence of the contract, and
 * keeps none. No check may fail or pass: the run must be incomplete, or end early if no response comes at all.
 */
export type Unresponsive = { readonly id: string; readonly does: string; readonly edge: () => Edge };

const timeoutMs = 400;
/** Timeouts of a run against such a deployment. */
export const unresponsiveLimits = { timeoutMs };

export const unresponsiveDeployments: readonly Unresponsive[] = [
  unresponsive('hangs', 'never responds', { send: () => undefined }),
  unresponsive('hangs-half-way', 'never sends the last byte of a response', {
    send: (response, { status, headers, text }) => {
      response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) + 1 }).write(text);
    },
  }),
  unresponsive('cuts-connections', 'closes every connection', { send: (response) => response.destroy() }),
  unresponsive('speaks-no-http', 'responds in SMTP instead of HTTP', {
    send: ({ socket }) => socket?.end('220 mail.example ESMTP\r\n'),
  }),
  unresponsive('is-away', 'returns 503 for every request', {
    respond: (reply) => ({ ...reply, status: 503 }),
  }),
  unresponsive('is-behind-a-dead-proxy', 'stands behind a proxy that returns 502 for every request', {
    respond: () => ({ status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad gateway</h1>' }),
  }),
  unresponsive('is-away-for-a-second', 'returns 503 with `Retry-After: 1` for every inference request', {
    respond: (reply, asked) =>
      findEndpoint(asked) ? withHeader({ ...reply, status: 503 }, 'Retry-After', '1') : reply,
  }),
  unresponsive(
    'lists-models-and-hangs',
    'responds only outside the inference endpoints, to list its models',
    {
      send: (response, { status, headers, text }, asked) => {
        if (!findEndpoint(asked)) response.writeHead(status, headers).end(text);
      },
    },
  ),
  unresponsive('is-too-busy', 'returns 429 for every inference request', {
    respond: (reply, asked) =>
      findEndpoint(asked) ? withHeader({ ...reply, status: 429 }, 'Retry-After', '1') : reply,
  }),
];

function unresponsive(id: string, does: string, edge: Edge): Unresponsive {
  return { id, does, edge: () => edge };
}
