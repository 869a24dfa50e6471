import type { Inference, InferenceFault, InferenceStream } from '../inference/engine.ts';
import { readText } from '../inference/stream.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Result } from '../types/result.ts';
import { createChunkWriter, type StreamIdentity } from './chunk-writer.ts';
import type { LiveParts, LiveRun } from './live-parts.ts';
import { type MadeCompletion, makeCompletion } from './make-completion.ts';
import { endOwedRun, type Owing, writeOwed } from './owe-payment.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';

type RunOptions = {
  /** Behind the parts that were taken from it. */
  readonly stream: InferenceStream;
  readonly parts: LiveParts;
  readonly owing: Owing;
  readonly stop: () => void;
};

/** Takes the rest of a stream and stores its completion, for all clients and without any. */
export function startRun(
  request: PricedRequest,
  payment: PaymentRecord,
  { stream, parts, owing, stop }: RunOptions,
  ports: PaidPorts,
): LiveRun {
  const identity = request.identify();
  const { promise: ended, resolve: endModel } = Promise.withResolvers<void>();
  let isStopped = false;
  return {
    payment: { ...payment, state: 'executed', isOwed: true },
    get state() {
      return parts.state;
    },
    whole: finish(),
    ended,
    events: (includeUsage) => writeParts(request.task.kind, identity, parts, includeUsage),
    stop() {
      isStopped = true;
      stop();
    },
  };

  async function finish(): Promise<PaymentRecord | null> {
    try {
      const inferred = await takeRest(stream, parts).finally(endModel);
      if (!inferred.ok) return await end(inferred.fault);
      const made = makeCompletion(request, inferred.value, identity, ports);
      requireShown(parts, inferred.value);
      return await keep(inferred.value, made);
    } catch (cause) {
      // A defect of the engine or of the store. The requests that wait for it learn of the break.
      ports.log.error({ err: cause, payment: payment.id }, 'an exception ended a stream');
      return end(null);
    }
  }

  /** Stores the completion before its last event, so that no client has a completion that is made once more. */
  async function keep(inference: Inference, made: MadeCompletion): Promise<PaymentRecord | null> {
    const isOwed = (await owing.result) === 'owed';
    if (!isOwed || !(await writeOwed(payment, made, ports))) {
      parts.break();
      return null;
    }
    const { header: proof } = made.proof;
    parts.end({ inference, proof });
    return { ...payment, state: 'executed', completion: made.completion, proof };
  }

  async function end(fault: InferenceFault | null): Promise<null> {
    parts.break();
    owing.giveUp();
    const owed = await owing.result.catch(() => 'lost');
    const { name: engine } = request.engine;
    if (owed !== 'owed') return null;
    if (!isStopped)
      ports.log.warn(
        { payment: payment.id, engine, fault },
        'a stream broke after its first text; its completion is still owed',
      );
    await endOwedRun(payment, ports);
    return null;
  }
}

/** Adds the rest of a stream to its parts. */
async function takeRest(
  stream: InferenceStream,
  parts: LiveParts,
): Promise<Result<Inference, InferenceFault>> {
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
    parts.push(next.value);
  }
}

/** The clients have the parts already, so another completion must not be stored. */
function requireShown(parts: LiveParts, inference: Inference): void {
  if (parts.text() !== readText(inference))
    throw new Error('The parts of a stream differ from its completion.');
}

async function* writeParts(
  kind: Inference['kind'],
  identity: StreamIdentity,
  parts: LiveParts,
  includeUsage: boolean,
): AsyncGenerator<string, void, void> {
  const writer = createChunkWriter(kind, identity, includeUsage);
  const reader = parts.read();
  for (;;) {
    const next = await reader.next();
    if (!next.done) {
      yield writer.write(next.value);
      continue;
    }
    const { inference, proof } = next.value;
    yield writer.end(inference.finishReason, inference.usage, proof);
    return;
  }
}
