import type { ChatCompletion, ChatCompletionChunk } from '@paid-inference/contract/types';
import type { PaidResult, StreamResult } from '../result.ts';
import type { CommandOutcome } from './outcome.ts';
import { visible } from './visible.ts';

/** Prints a completion while it arrives. */
export type LiveText = {
  print(streamed: StreamResult<ChatCompletionChunk, ChatCompletion>): Promise<PaidResult<ChatCompletion>>;
  /** The outcome without the text that is printed already. */
  finish(outcome: CommandOutcome): CommandOutcome;
};

export function createLiveText(write: (text: string) => void): LiveText {
  let printed = '';
  let id: string | null = null;
  return {
    async print(streamed) {
      if (streamed.kind !== 'stream') return streamed;
      let text = '';
      for await (const chunk of streamed.chunks) {
        if (id !== null && chunk.id !== id) {
          write('\n\nThe gateway ran the request again:\n\n');
          [printed, text] = ['', ''];
        }
        id = chunk.id;
        text += chunk.choices.map(({ delta }) => delta.content ?? '').join('');
        // The rest of a line break may come with the next chunk.
        const shown = visible(text.endsWith('\r') ? text.slice(0, -1) : text);
        write(shown.slice(printed.length));
        printed = shown;
      }
      return streamed.whole();
    },
    finish(outcome) {
      if (printed === '') return outcome;
      const { text } = outcome;
      if (text?.startsWith(printed)) return { ...outcome, text: text.slice(printed.length) };
      return { ...outcome, text: text === undefined ? '' : `\n\n${text}` };
    },
  };
}
