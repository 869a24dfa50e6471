import { cutAtStop } from '../finish.ts';
import { createTextHold } from '../stream.ts';
import type { ThoughtFormat } from './chat-format.ts';
import { type GenerationOptions, generate } from './generate.ts';
import type { LlamaModel, LlamaSequence, Token } from './library.ts';
import { createThoughtFilter } from './thought.ts';

/** Counts the tokens of a run while it goes on. */
export type TokenMeter = { prompt: number; completion: number };

export type TextOptions = GenerationOptions & {
  readonly meter: TokenMeter;
  /** The text ends before the first of these. */
  readonly stop: readonly string[];
  readonly thought?: ThoughtFormat | null;
};

export type WrittenText = {
  /** With the stop sequence and the text behind it. */
  readonly whole: string;
  readonly text: string;
  readonly finishReason: 'stop' | 'length';
  readonly written: readonly Token[];
  /** The last part of `whole`, and the number of tokens before it. */
  readonly last: { readonly text: string; readonly tokensBefore: number };
};

/**
 * Writes a text without thoughts until the first stop sequence, the end of the model or the last token. Yields what is
 * certainly in it.
 */
export async function* writeText(
  model: LlamaModel,
  sequence: LlamaSequence,
  { stop, thought = null, meter, ...options }: TextOptions,
  signal: AbortSignal,
): AsyncGenerator<string, WrittenText, void> {
  meter.prompt = options.tokens.length;
  const filter = createThoughtFilter(thought);
  const hold = createTextHold(stop);
  const parts = generate(model, sequence, options, signal);
  let whole = '';
  let last = { text: '', tokensBefore: 0 };
  try {
    for (;;) {
      const { value, done } = await parts.next();
      const shown = done ? filter.end() : filter.push(value.text);
      whole += shown;
      if (done) return finish(value.end, value.written);
      last = { text: shown, tokensBefore: meter.completion };
      meter.completion = value.written.length;
      const text = hold.push(shown);
      if (text !== '') yield text;
      if (hold.isStopped) return finish('stop', value.written);
    }
  } finally {
    await parts.return({ end: 'stop', written: [] });
  }

  function finish(end: 'stop' | 'length', written: readonly Token[]): WrittenText {
    const beforeStop = cutAtStop(whole, stop);
    return {
      whole,
      text: beforeStop ?? whole,
      finishReason: beforeStop === null ? end : 'stop',
      written,
      last,
    };
  }
}
