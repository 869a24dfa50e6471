import { streamDone } from '@paid-inference/contract/constants';
import { type OpenStream, PaymentOutcomeUnknown } from '../pay.ts';
import type { PaymentOutcome } from '../payment/outcome.ts';
import type { StreamForm } from './assembly.ts';
import { type FollowPorts, followStream, type Responded } from './follow.ts';

type AnyChunk = { readonly id: string; readonly choices: readonly unknown[]; readonly usage?: unknown };

/**
 * A response with the events of a paid stream as they arrive. A broken stream continues behind the text that the
 * caller has. If that is impossible, the body fails, and the same call later sends the same payment (D-270).
 */
export function streamAsResponse<Chunk extends AnyChunk, Completion>(
  first: Responded & { readonly stream: OpenStream },
  form: StreamForm<Chunk, Completion>,
  ports: Omit<FollowPorts, 'signal' | 'onComment' | 'mayRestart'>,
): Response {
  const { request } = first.stream;
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal]);
  const encoder = new TextEncoder();
  let send: (text: string) => void = () => undefined;
  const onComment = (text: string) => send(`:${text}\n\n`);
  const streamed = followStream(first, form, { ...ports, signal, onComment, mayRestart: false });
  const events = writeEvents();
  // Also if nobody reads the body, the same call must find its payment.
  const leave = () => void events.return().catch(() => undefined);
  request.signal.addEventListener('abort', leave);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(encoder.encode(text));
    },
    async pull(controller) {
      const next = await events.next();
      if (!next.done) return send(next.value);
      request.signal.throwIfAborted();
      controller.close();
    },
    cancel() {
      send = () => undefined;
      left.abort();
      leave();
    },
  });
  const { status, statusText, headers: received } = first.received.response;
  const headers = new Headers(received);
  // These headers describe the bytes on the wire.
  headers.delete('content-encoding');
  headers.delete('content-length');
  return new Response(body, { status, statusText, headers });

  async function* writeEvents(): AsyncGenerator<string, void, void> {
    const sent = form.createAssembly();
    try {
      for await (const chunk of streamed.chunks) {
        sent.add(chunk);
        const shown = request.isUsageAdded ? withoutUsage(chunk) : chunk;
        if (shown !== null) yield `data: ${JSON.stringify(shown)}\n\n`;
      }
      request.signal.throwIfAborted();
      const result = await streamed.whole();
      // A stream without usage is no completion of the contract, but its reader has all of the text.
      const isDelivered = result.kind === 'completion' || (result.kind === 'error' && sent.isFinished);
      if (!isDelivered) throw failure(result.payment, result.message);
      first.stream.close();
      yield `data: ${streamDone}\n\n`;
    } finally {
      request.signal.removeEventListener('abort', leave);
    }
  }
}

function failure(payment: PaymentOutcome, message: string): Error {
  const lost = { message, cause: undefined, left: true };
  return payment.state === 'unsent'
    ? new Error(message)
    : new PaymentOutcomeUnknown(payment.authorization, lost);
}

/** The chunk as a stream without `include_usage` has it. Null for the chunk that has only the usage. */
function withoutUsage({ usage, ...chunk }: AnyChunk): object | null {
  return chunk.choices.length === 0 && usage !== undefined ? null : chunk;
}
