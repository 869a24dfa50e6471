import { fail, type Result } from '../../types/result.ts';
import { type Deadline, openDeadline } from '../deadline.ts';
import type { Engine, Inference, InferenceFault, InferenceLimits, InferenceTask } from '../engine.ts';
import { listDeltas } from '../stream.ts';
import { readCompletion } from './completion.ts';
import { createEarlyText } from './early-text.ts';
import { openAiFields } from './request.ts';
import { streamCompletion } from './stream-completion.ts';
import {
  createUpstreamClient,
  describeFault,
  type OpenAiEngineOptions,
  type ResponseBody,
} from './upstream-client.ts';

/**
 * Runs a model on one server with the OpenAI interface. Sends no request twice: the engine of several servers, or the
 * client, decides on a retry. Faults: `overloaded` when the upstream returns it or every
 * connection is busy, `timeout`, `cancelled`, else `failed`. Their detail contains neither prompt, completion
 * nor key. Throws for an invalid base URL.
 *
 * An upstream that cannot stream ignores `stream`, or refuses it before inference. Then the engine asks without
 * `stream`, and yields the whole text as one part. After two such streams in a row, it asks for the next ones without
 * `stream` (D-268). The text of a stream may wait for the check of its whole completion (`early-text.ts`, D-272).
 */
export function createOpenAiEngine(options: OpenAiEngineOptions): Engine {
  const { connections } = options;
  const client = createUpstreamClient(options);
  let onTheWay = 0;
  /** Streams in a row that the upstream did not stream, and streams that are not asked for now. */
  let [unstreamed, skipsLeft] = [0, 0];
  const earlyText = createEarlyText();

  return {
    name: 'openai',
    honours: openAiFields,
    async infer(task, limits) {
      if (onTheWay >= connections) return allBusy(connections);
      onTheWay += 1;
      const deadline = openDeadline(limits);
      try {
        return await inferWhole(task, deadline, limits);
      } catch (error) {
        return fail(describeFault(error, deadline, options));
      } finally {
        deadline.close();
        onTheWay -= 1;
      }
    },
    async *stream(task, limits) {
      if (onTheWay >= connections) return allBusy(connections);
      onTheWay += 1;
      const deadline = openDeadline(limits);
      const { signal } = deadline;
      try {
        const isAsked = skipsLeft === 0;
        if (!isAsked) skipsLeft -= 1;
        const sent = isAsked ? await client.send(task, true, signal, limits.headers) : null;
        if (sent?.kind === 'events') {
          unstreamed = 0;
          return yield* streamCompletion(task, sent.body, { ...options, earlyText }, deadline, limits);
        }
        if (sent?.kind === 'refused' && !refusesStreams.has(sent.status)) return fail(sent.fault);
        const inferred =
          sent?.kind === 'json'
            ? await readJson(task, sent.body, deadline)
            : await inferWhole(task, deadline, limits);
        if (!inferred.ok) return inferred;
        if (isAsked && ++unstreamed >= unstreamedMax) skipsLeft = skips;
        yield* listDeltas(inferred.value);
        return inferred;
      } catch (error) {
        return fail(describeFault(error, deadline, options));
      } finally {
        deadline.close();
        onTheWay -= 1;
      }
    },
    close: client.close,
  };

  async function inferWhole(
    task: InferenceTask,
    deadline: Deadline,
    { headers }: InferenceLimits,
  ): Promise<Result<Inference, InferenceFault>> {
    const sent = await client.send(task, false, deadline.signal, headers);
    return sent.kind === 'json' ? readJson(task, sent.body, deadline) : fail(sent.fault);
  }
}

/** A server that restarts may refuse a single stream. */
const unstreamedMax = 2;
/** The streams that are asked for without `stream` before the next trial. */
const skips = 15;

/** With one of these statuses a server refuses a request before its inference, perhaps because of `stream`. */
const refusesStreams: ReadonlySet<number> = new Set([400, 404, 405, 415, 422, 501]);

async function readJson(
  task: InferenceTask,
  body: ResponseBody,
  deadline: Deadline,
): Promise<Result<Inference, InferenceFault>> {
  deadline.begin();
  return readCompletion(task, await body.text(), deadline.signal);
}

function allBusy(connections: number): Result<never, InferenceFault> {
  const detail = `all ${connections} connections to the upstream are busy`;
  return fail({ kind: 'overloaded', detail, isUnsent: true });
}
