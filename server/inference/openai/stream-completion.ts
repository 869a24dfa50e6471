import { streamDone } from '@paid-inference/contract/constants';
import type { Dispatcher } from 'undici';
import { fail, type Result } from '../../types/result.ts';
import { type Deadline, openDeadline } from '../deadline.ts';
import type {
  Inference,
  InferenceFault,
  InferenceLimits,
  InferenceStream,
  InferenceTask,
} from '../engine.ts';
import { createTextHold, isCheckedWhole, listDeltas, readText } from '../stream.ts';
import { createTokenLimit } from '../token-limit.ts';
import { type Chunks, createChunks } from './chunks.ts';
import { checkCompletion, tokenizersDifferBy } from './completion.ts';
import type { EarlyText } from './early-text.ts';
import { EventFault, readEvents } from './events.ts';
import { describeFault, type OpenAiEngineOptions } from './upstream-client.ts';

type Body = Dispatcher.ResponseData['body'];

/** A server that sends nothing after `[DONE]` ends its response within this time. */
const endTimeoutMs = 1_000;
const endBytesMax = 4_096;
/** The time for the check of a text that was yielded, after that of the model. */
const checkTimeoutMs = 5_000;

export type StreamOptions = OpenAiEngineOptions & {
  /** Knows whether the text waits for the check of the whole completion, and takes the result. */
  readonly earlyText: EarlyText;
};

/**
 * Reads a stream of chunks. Yields the text as it comes, and each tool call after the check of the whole
 * completion, which is the check of an unstreamed one. A text that is too long is cut before it is yielded.
 *
 * A text that was yielded is paid for, so it becomes a completion if its end is clear (D-272). It ends at the deadline
 * with `length`. A fault behind its `finish_reason` has no effect, and neither has a fault of anything but the text.
 * Other faults throw an `EventFault`, or the errors of the connection.
 */
export async function* streamCompletion(
  task: InferenceTask,
  body: Body,
  options: StreamOptions,
  deadline: Deadline,
  limits: InferenceLimits,
): InferenceStream {
  const { signal } = deadline;
  const { earlyText } = options;
  const isHeld = earlyText.isHeld(limits.client) || isCheckedWhole(task);
  const chunks = createChunks(task);
  const limit = createTokenLimit(task.maxTokens * tokenizersDifferBy, task.maxTokens);
  const hold = createTextHold(task.stop);
  let isDone = false;
  let taken = 0;
  let shown = 0;
  /** A payer can ask for a completion without text, or for one that is checked whole. Its faults concern no other stream. */
  const tellFault = () => {
    if (taken > 0 && !isCheckedWhole(task)) earlyText.onChecked(false, limits.client);
  };
  try {
    // The iterator leaves the body open, so that the connection may serve the next request.
    for await (const data of readEvents(body.iterator({ destroyOnReturn: false }), options.eventBytesMax)) {
      deadline.begin();
      isDone = data === streamDone;
      if (isDone) break;
      const within = await limit.take(chunks.add(data), signal);
      taken += within.text.length;
      const text = hold.push(within.text);
      if (text !== '' && !isHeld) {
        shown += text.length;
        yield { kind: 'text', text };
      }
      if (within.isCut) {
        chunks.cut(taken);
        break;
      }
    }
  } catch (error) {
    if (error instanceof EventFault) tellFault();
    // Throws a defect.
    describeFault(error, deadline, options);
    const ended = deadline.fault()?.kind;
    if (shown === 0 || ended === 'cancelled') throw error;
    if (!chunks.isFinished) {
      if (ended !== 'timeout') throw error;
      chunks.cut(shown);
    }
  } finally {
    if (isDone) drain(body);
    else discard(body);
  }
  if (!chunks.isFinished) {
    tellFault();
    throw new EventFault('the stream ended before the completion');
  }
  const checked = await (shown > 0
    ? checkShown(task, chunks, options, limits)
    : checkCompletion(task, chunks.assemble(), signal, false));
  if (shown === 0 && checked.ok) earlyText.onChecked(true, limits.client);
  else if (shown === 0) tellFault();
  if (!checked.ok) return checked;
  // The checks cut the text only behind a stop sequence, where the hold sent nothing.
  if (shown > readText(checked.value).length) throw new Error('a stream sent more than its completion has');
  yield* listDeltas(checked.value, shown);
  return checked;
}

/** Checks a text that was yielded. The model may have used up the time of the inference. */
async function checkShown(
  task: InferenceTask,
  chunks: Chunks,
  options: StreamOptions,
  limits: InferenceLimits,
): Promise<Result<Inference, InferenceFault>> {
  const { beginTimeoutMs: _, onBegun: __, ...kept } = limits;
  const deadline = openDeadline({ ...kept, timeoutMs: checkTimeoutMs });
  try {
    const checked = await checkCompletion(task, chunks.assemble(), deadline.signal, true);
    options.earlyText.onChecked(checked.ok, limits.client);
    if (checked.ok) return checked;
    return await checkCompletion(task, chunks.assembleText(), deadline.signal, true);
  } catch (error) {
    return fail(describeFault(error, deadline, options));
  } finally {
    deadline.close();
  }
}

function drain(body: Body): void {
  body.dump({ limit: endBytesMax, signal: AbortSignal.timeout(endTimeoutMs) }).catch(() => discard(body));
}

/** Ends the connection. undici reports that as an error of the body, and an unheard one would end the process. */
function discard(body: Body): void {
  body.on('error', () => {}).destroy();
}
