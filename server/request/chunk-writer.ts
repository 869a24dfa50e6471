import { headerNames, streamDone } from '@paid-inference/contract/constants';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  FinishReason,
  TextCompletion,
  TextCompletionChunk,
  Usage,
} from '@paid-inference/contract/types';
import { writeEvent } from '../http/write-events.ts';
import type { Inference, InferenceDelta } from '../inference/engine.ts';
import { listDeltas } from '../inference/stream.ts';

/** The fields that all chunks of a completion share with the whole completion. */
export type StreamIdentity = Pick<ChatCompletion, 'id' | 'created' | 'model'>;

/** Writes the events of one streamed completion (D-267). */
export type ChunkWriter = {
  write(delta: InferenceDelta): string;
  /** The last events: the reason, the usage if it is wanted, the proof, and the end. */
  end(finishReason: FinishReason, usage: Usage, proof: string | null): string;
};

export function createChunkWriter(
  kind: Inference['kind'],
  identity: StreamIdentity,
  includeUsage: boolean,
): ChunkWriter {
  const usageOf = (usage: Usage | null) => (includeUsage ? { usage } : {});
  const form = kind === 'chat' ? createChatForm() : textForm;
  const chunk = (choices: readonly object[], usage: Usage | null = null) =>
    writeEvent({ ...identity, object: form.object, choices, ...usageOf(usage) });
  const choices = (parts: readonly object[], finish_reason: FinishReason | null) =>
    parts.map((part) => chunk([{ index: 0, ...part, finish_reason }])).join('');
  return {
    write: (delta) => choices(form.parts(delta), null),
    end(finishReason, usage, proof) {
      const last = choices(form.begin(), null) + choices([form.empty], finishReason);
      const counted = includeUsage ? chunk([], usage) : '';
      const proven = proof === null ? '' : `: ${headerNames.inferenceProof}: ${proof}\n\n`;
      return last + counted + proven + writeEvent(streamDone);
    },
  };
}

/** The parts of the chunks of one endpoint, without index and reason. */
type Form = {
  readonly object: (ChatCompletionChunk | TextCompletionChunk)['object'];
  parts(delta: InferenceDelta): readonly object[];
  /** The parts that a completion without any text still needs. */
  begin(): readonly object[];
  readonly empty: object;
};

const textForm: Form = {
  object: 'text_completion',
  parts: (delta) => (delta.kind === 'text' ? [{ text: delta.text }] : []),
  begin: () => [],
  empty: { text: '' },
};

function createChatForm(): Form {
  let hasBegun = false;
  let calls = 0;
  const begin = (content: '' | null) => {
    if (hasBegun) return [];
    hasBegun = true;
    return [{ delta: { role: 'assistant', content } }];
  };
  return {
    object: 'chat.completion.chunk',
    parts(delta) {
      if (delta.kind === 'text') return [...begin(''), { delta: { content: delta.text } }];
      return [...begin(null), { delta: { tool_calls: [{ index: calls++, ...delta.call }] } }];
    },
    begin: () => begin(''),
    empty: { delta: {} },
  };
}

/** All events of a completion that is whole. */
export function streamWhole(
  completion: ChatCompletion | TextCompletion,
  proof: string | null,
  includeUsage: boolean,
): string {
  const inference = readInference(completion);
  const writer = createChunkWriter(inference.kind, readIdentity(completion), includeUsage);
  const parts = listDeltas(inference).map((delta) => writer.write(delta));
  return parts.join('') + writer.end(inference.finishReason, inference.usage, proof);
}

function readIdentity({ id, created, model }: StreamIdentity): StreamIdentity {
  return { id, created, model };
}

function readInference({ choices: [choice], usage }: ChatCompletion | TextCompletion): Inference {
  if (choice === undefined) throw new Error('A stored completion has no choice.');
  const { finish_reason: finishReason } = choice;
  return 'message' in choice
    ? { kind: 'chat', message: choice.message, finishReason, usage }
    : { kind: 'text', text: choice.text, finishReason, usage };
}
