import { headerNames, streamDone } from '@paid-inference/contract/constants';
import { readGatewayError } from '../payment/gateway-error.ts';
import type { Assembly, StreamForm } from './assembly.ts';
import { readEvents, type StreamBounds } from './events.ts';

/** The end of one stream. A broken one may be whole when the same payment is sent again. */
export type Ending<Completion> =
  | { readonly kind: 'whole'; readonly completion: Completion; readonly proof: string | null }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'broken'; readonly message: string }
  /** The chunks do not continue those that the caller has. */
  | { readonly kind: 'other'; readonly message: string };

/** The stream whose chunks the caller got. */
export type Progress<Chunk> = {
  sent: Assembly<Chunk>;
  /** The caller can drop the chunks that it has when others begin. */
  readonly mayRestart: boolean;
};

/** Reads one stream, and yields the chunks that the caller lacks. */
export async function* readStream<Chunk extends { readonly id: string }, Completion>(
  events: ReadableStream<Uint8Array>,
  form: StreamForm<Chunk, Completion>,
  progress: Progress<Chunk>,
  { onComment, ...bounds }: StreamBounds & { readonly onComment: (text: string) => void },
): AsyncGenerator<Chunk, Ending<Completion>, void> {
  const assembly = form.createAssembly();
  let proof: string | null = null;
  let isDone = false;
  try {
    for await (const part of readEvents(events, bounds)) {
      if (part.kind === 'comment') {
        proof = readProof(part.text) ?? proof;
        onComment(part.text);
        continue;
      }
      isDone = part.data === streamDone;
      if (isDone) break;
      const chunk = complete(JSON.parse(part.data));
      if (isEmpty(chunk)) continue;
      if (!form.isChunk(chunk)) return { kind: 'broken', message: describeOther(part.data) };
      // Another id begins the completion again. With the same id, only the rest is new.
      if (assembly.id === null && chunk.id !== progress.sent.id) {
        if (progress.sent.id !== null && !progress.mayRestart)
          return { kind: 'other', message: 'the gateway ran the request again' };
        progress.sent = assembly;
      }
      if (assembly.id !== null && chunk.id !== assembly.id)
        return { kind: 'broken', message: 'the id of the completion changed' };
      assembly.add(chunk);
      if (progress.sent === assembly) yield chunk;
    }
  } catch (error) {
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) };
  }
  if (!isDone) return { kind: 'broken', message: `it ended without ${streamDone}` };
  const completion = assembly.assemble();
  if (!form.isCompletion(completion)) return { kind: 'invalid' };
  if (progress.sent === assembly) return { kind: 'whole', completion, proof };
  const rest = assembly.chunkAfter(progress.sent);
  if (rest !== null) yield rest;
  else if (!progress.mayRestart) return { kind: 'other', message: otherText };
  return { kind: 'whole', completion, proof };
}

export const otherText = 'the gateway sent another text than that of the stream';

/** The proof in a comment (D-267); null in any other comment. */
function readProof(comment: string): string | null {
  const [name = '', ...value] = comment.split(':');
  const isProof = name.trim().toLowerCase() === headerNames.inferenceProof.toLowerCase();
  return isProof ? value.join(':').trim() : null;
}

/** A chunk as the contract has it. Some servers omit a `finish_reason` that is null, or send null in `tool_calls`. */
function complete(chunk: unknown): unknown {
  if (!isRecord(chunk) || !Array.isArray(chunk['choices'])) return chunk;
  const choices = chunk['choices'].map((choice: unknown) => {
    if (!isRecord(choice)) return choice;
    const { delta } = choice;
    const { tool_calls: calls = null, ...others } = isRecord(delta) ? delta : {};
    return {
      finish_reason: null,
      ...choice,
      ...(isRecord(delta) && { delta: calls === null ? others : delta }),
    };
  });
  return { ...chunk, choices };
}

/** Whether a chunk has neither a choice nor the usage. Some servers begin with one, before they have an id. */
function isEmpty(chunk: unknown): boolean {
  if (!isRecord(chunk) || !Array.isArray(chunk['choices'])) return false;
  return chunk['choices'].length === 0 && (chunk['usage'] ?? null) === null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describeOther(data: string): string {
  const error = readGatewayError(data);
  return error === null ? 'an event is no chunk' : error.message;
}
