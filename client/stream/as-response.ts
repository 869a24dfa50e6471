import { streamDone } from '@paid-inference/contract/constants';
import { type OpenStream, PaymentOutcomeUnknown } from '../pay.ts';
import type { PaymentOutcome } from '../payment/outcome.ts';
import type { Assembly, StreamForm } from './assembly.ts';
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
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(encoder.encode(text));
    },
    async pull(controller) {
      const next = await events.next();
      if (next.done) controller.close();
      else send(next.value);
    },
    cancel() {
      send = () => undefined;
      left.abort();
      events.return().catch(() => undefined);
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
    for await (const chunk of streamed.chunks) {
      sent.add(chunk);
      const shown = request.isUsageAdded ? withoutUsage(chunk) : chunk;
      if (shown !== null) yield `data: ${JSON.stringify(shown)}\n\n`;
    }
    request.signal.throwIfAborted();
    const result = await streamed.whole();
    if (result.kind !== 'completion') throw failure(result.payment, result.message);
    // A gateway may send the rest of a broken stream unstreamed.
    if (!isSameText(sent, result.completion)) throw failure(first.payment, 'the stream has no end');
    yield `data: ${streamDone}\n\n`;
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

function isSameText<Chunk>(sent: Assembly<Chunk>, completion: unknown): boolean {
  const writeChoices = (value: unknown) => JSON.stringify(Reflect.get(Object(value), 'choices'));
  return writeChoices(sent.assemble()) === writeChoices(completion);
}
