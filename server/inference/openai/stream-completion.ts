import { streamDone } from '@paid-inference/contract/constants';
import type { Dispatcher } from 'undici';
import { fail } from '../../types/result.ts';
import type { InferenceStream, InferenceTask } from '../engine.ts';
import { createTextHold, listDeltas, readText } from '../stream.ts';
import { createTokenLimit } from '../token-limit.ts';
import { createChunks } from './chunks.ts';
import { checkCompletion, tokenizersDifferBy } from './completion.ts';
import { EventFault, readEvents } from './events.ts';

type Body = Dispatcher.ResponseData['body'];

/** A server that sends nothing after `[DONE]` ends its response within this time. */
const endTimeoutMs = 1_000;
const endBytesMax = 4_096;

export type StreamOptions = {
  readonly eventBytesMax: number;
  /** Whether the text waits for the check of the whole completion. */
  readonly isHeld: boolean;
  /** Called when the check rejects a completion whose text was yielded. */
  readonly onInvalid: () => void;
};

/**
 * Reads a stream of chunks. Yields the text as it comes, and each tool call after the check of the whole
 * completion, which is the check of an unstreamed one. A text that is too long is cut before it is yielded. Throws an `EventFault`, or the errors of the connection.
 */
export async function* streamCompletion(
  task: InferenceTask,
  body: Body,
  { eventBytesMax, isHeld, onInvalid }: StreamOptions,
  signal: AbortSignal,
): InferenceStream {
  const chunks = createChunks(task.kind);
  const limit = createTokenLimit(task.maxTokens * tokenizersDifferBy);
  const hold = createTextHold(task.stop);
  let isDone = false;
  let shown = 0;
  try {
    // The iterator leaves the body open, so that the connection may serve the next request.
    for await (const data of readEvents(body.iterator({ destroyOnReturn: false }), eventBytesMax)) {
      isDone = data === streamDone;
      if (isDone) break;
      const added = chunks.add(data);
      const within = await limit.take(added, signal);
      const text = hold.push(within.text);
      if (text !== '' && !isHeld) {
        shown += text.length;
        yield { kind: 'text', text };
      }
      if (within.isCut) {
        chunks.cut(added.length - within.text.length);
        break;
      }
    }
  } finally {
    if (isDone) drain(body);
    else discard(body);
  }
  if (!chunks.isFinished) throw new EventFault('the stream ended before the completion');
  const checked = await checkCompletion(task, chunks.assemble(), signal, shown > 0);
  if (!checked.ok) {
    if (shown > 0) onInvalid();
    return fail({ kind: 'failed', detail: checked.fault });
  }
  // The checks cut the text only behind a stop sequence, where the hold sent nothing.
  if (shown > readText(checked.value).length) throw new Error('a stream sent more than its completion has');
  yield* listDeltas(checked.value, shown);
  return checked;
}

function drain(body: Body): void {
  body.dump({ limit: endBytesMax, signal: AbortSignal.timeout(endTimeoutMs) }).catch(() => discard(body));
}

/** Ends the connection. undici reports that as an error of the body, and an unheard one would end the process. */
function discard(body: Body): void {
  body.on('error', () => {}).destroy();
}
