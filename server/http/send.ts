import type { ServerResponse } from 'node:http';
import { type FinishedReply, serializeBody } from './reply.ts';
import { type StreamLimits, streamHeaders, writeEvents } from './write-events.ts';

/**
 * Writes a response. One without a stream is written at once; otherwise resolves when the stream has ended. Node
 * omits the body of a response to HEAD.
 */
export async function send(
  response: ServerResponse,
  { status, headers, body, events, file }: FinishedReply,
  more: Readonly<Record<string, string>>,
  limits: StreamLimits,
): Promise<void> {
  const all: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) all[name] = value;
  Object.assign(all, more);
  if (typeof events === 'string') {
    const bytes = Buffer.from(events);
    response.writeHead(status, { ...all, ...streamHeaders, 'Content-Length': bytes.length });
    return void response.end(bytes);
  }
  if (events !== undefined) {
    response.writeHead(status, { ...all, ...streamHeaders });
    return writeEvents(response, events, limits);
  }
  if (file !== undefined) {
    response.writeHead(status, { ...all, 'Content-Type': file.type, 'Content-Length': file.bytes.length });
    return void response.end(file.bytes);
  }
  if (body === null) return void response.writeHead(status, all).end();
  const content = serializeBody(body);
  all['Content-Type'] = 'application/json';
  all['Content-Length'] = content.length;
  response.writeHead(status, all).end(content.bytes);
}
