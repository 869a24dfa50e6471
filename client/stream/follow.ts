import type { Clock } from '../clock.ts';
import { failed } from '../failure.ts';
import { presentationsMax, retryWaitMsFirst } from '../limits.ts';
import { describePayment, readPaidResult } from '../paid-result.ts';
import type { Exchange, OpenStream } from '../pay.ts';
import type { Step } from '../payment/step.ts';
import type { Completed, PaidResult, Streamed } from '../result.ts';
import { restOf, type StreamForm } from './assembly.ts';
import type { StreamBounds } from './events.ts';
import { otherText, type Progress, readStream } from './read-stream.ts';

export type FollowPorts = {
  readonly clock: Clock;
  readonly onStep: (step: Step) => void;
  readonly bounds: Omit<StreamBounds, 'signal'>;
  readonly signal: AbortSignal;
  /** Called for each comment as it arrives. Must not throw. */
  readonly onComment?: (text: string) => void;
  /** Whether the caller notices chunks with another id, which begin the completion again. */
  readonly mayRestart: boolean;
};

export type Responded = Extract<Exchange, { kind: 'responded' }>;

/**
 * Reads the stream of a paid response. When the stream breaks, sends the same payment again: the gateway owes the
 * whole completion (D-270).
 */
export function followStream<Chunk extends { readonly id: string }, Completion>(
  first: Responded & { readonly stream: OpenStream },
  form: StreamForm<Chunk, Completion>,
  { clock, onStep, bounds, signal, mayRestart, onComment = () => undefined }: FollowPorts,
): Streamed<Chunk, Completion> {
  let result: PaidResult<Completion> | null = null;
  let attempt = 1;
  const progress: Progress<Chunk> = { sent: form.createAssembly(), mayRestart };
  const running = run(first);

  return {
    kind: 'stream',
    ...describePayment(first),
    chunks: { [Symbol.asyncIterator]: () => running },
    async whole() {
      await drain(running);
      // The caller took no more chunks, which ended the stream.
      if (result === null) await drain(run(await first.stream.again()));
      return result ?? { kind: 'network', message: 'the stream was not read', payment: first.payment };
    },
  };

  async function* run(begun: Exchange): AsyncGenerator<Chunk, void, void> {
    try {
      for (let exchange = begun; result === null; ) {
        if (exchange.kind !== 'responded' || exchange.stream === null) {
          const read = readPaidResult(exchange, form);
          result = charged(read.kind === 'completion' ? yield* endWith(read) : read);
          return;
        }
        const { received, payment, stream } = exchange;
        const ending = yield* readStream(stream.events, form, progress, { ...bounds, signal, onComment });
        if (ending.kind === 'whole') {
          const { completion, proof } = ending;
          stream.save(JSON.stringify(completion), proof);
          result = { kind: 'completion', completion, ...describePayment(exchange) };
        } else if (ending.kind === 'other') {
          result = charged({ kind: 'network', message: ending.message, payment });
        } else if (ending.kind === 'invalid') {
          result = charged(failed(received, payment, form.expected));
        } else {
          const message = `the stream broke: ${ending.message}`;
          const next = await repeat(stream, message);
          if (next !== null) exchange = next;
          else result = charged({ kind: 'network', message, payment });
        }
      }
    } finally {
      // The same call, made later, then sends the same payment.
      if (result?.kind !== 'completion') first.stream.keep();
    }
  }

  /** The gateway sends the rest of a broken stream unstreamed. */
  async function* endWith(read: Completed<Completion>): AsyncGenerator<Chunk, PaidResult<Completion>, void> {
    const rest = restOf(form, read.completion, progress.sent);
    if (rest !== null) yield rest;
    else if (!mayRestart) return { kind: 'network', message: otherText, payment: read.payment };
    first.stream.close();
    return read;
  }

  /** Null after the last attempt, or when the caller left. */
  async function repeat(stream: OpenStream, because: string): Promise<Exchange | null> {
    if (attempt === presentationsMax || signal.aborted) return null;
    const waitMs = retryWaitMsFirst * 2 ** (attempt - 1);
    attempt++;
    onStep({ step: 'waiting', waitMs, because });
    await clock.waitMs(waitMs, signal);
    return signal.aborted ? null : stream.again();
  }

  /** A receipt that came once stays true, whatever a later response says. */
  function charged(later: PaidResult<Completion>): PaidResult<Completion> {
    return later.kind === 'completion' || first.payment.state !== 'settled'
      ? later
      : { ...later, payment: first.payment };
  }
}

async function drain(chunks: AsyncGenerator<unknown, void, void>): Promise<void> {
  for await (const _ of chunks);
}
