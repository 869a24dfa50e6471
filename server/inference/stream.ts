import type { Inference, InferenceDelta, InferenceTask } from './engine.ts';
import { createMatcher } from './finish.ts';

/** The text of a completion; empty if it has only tool calls. */
export function readText(inference: Inference): string {
  return inference.kind === 'text' ? inference.text : (inference.message.content ?? '');
}

/** The parts of a completion that follow after `sent` characters of its text. */
export function listDeltas(inference: Inference, sent = 0): readonly InferenceDelta[] {
  const rest = readText(inference).slice(sent);
  const calls = inference.kind === 'chat' ? (inference.message.tool_calls ?? []) : [];
  return [
    ...(rest === '' ? [] : [{ kind: 'text', text: rest } as const]),
    ...calls.map((call) => ({ kind: 'call', call }) as const),
  ];
}

/** Whether the model was offered a tool. */
export function mayCall(task: InferenceTask): boolean {
  return task.kind === 'chat' && task.tools.length > 0 && task.toolChoice.mode !== 'none';
}

/** Whether the end of a completion may make its text invalid: a tool call or JSON is checked whole (D-272). */
export function isCheckedWhole(task: InferenceTask): boolean {
  return mayCall(task) || task.fields.response_format !== undefined;
}

/** Decides which part of a text that arrives in parts is certainly in the completion. */
export type TextHold = {
  /** Takes the next part. Returns the text that became certain. */
  push(part: string): string;
  /** The number of UTF-16 units returned so far. */
  readonly sent: number;
  /** Whether the text has a whole stop sequence. */
  readonly isStopped: boolean;
};

/**
 * Holds back a text that may be the beginning of a stop sequence, half a surrogate pair, and all text behind a
 * stop sequence. `cutAtStop` of the whole text decides what follows. Takes linear time, because the client sends
 * the sequences.
 */
export function createTextHold(stop: readonly string[]): TextHold {
  const searches = stop
    .filter((sequence) => sequence !== '')
    .map((sequence) => ({ length: sequence.length, matcher: createMatcher(sequence), matched: 0 }));
  let open = searches;
  /** The parts that are held. A slice of one joined text would keep all of this text in memory. */
  const held: string[] = [];
  let firstHeld = 0;
  let taken = 0;
  let sent = 0;
  /** The place of the earliest sequence so far. A longer one that began earlier may still end. */
  let end = Number.POSITIVE_INFINITY;
  return {
    push(part) {
      for (let at = 0; at < part.length; at++) takeUnit(part.charCodeAt(at));
      held.push(part);
      const longest = open.reduce((most, { matched }) => Math.max(most, matched), 0);
      const certain = release(Math.min(end, taken - longest) - sent);
      sent += certain.length;
      return certain.toWellFormed();
    },
    get sent() {
      return sent;
    },
    get isStopped() {
      return end < Number.POSITIVE_INFINITY;
    },
  };

  /** Removes the first units of the held text, without half a surrogate pair at their end. */
  function release(length: number): string {
    let certain = '';
    while (firstHeld < held.length && certain.length < length) {
      const part = held[firstHeld] ?? '';
      const fitting = part.slice(0, length - certain.length);
      certain += fitting;
      if (fitting.length < part.length) held[firstHeld] = part.slice(fitting.length);
      else held[firstHeld++] = '';
    }
    const whole = wholePairs(certain, certain.length);
    const half = certain.slice(whole.length);
    if (half !== '') held[firstHeld] = half + (held[firstHeld] ?? '');
    // Moves each part once on average: to move all of them for each part would take quadratic time.
    if (firstHeld * 2 > held.length) {
      held.splice(0, firstHeld);
      firstHeld = 0;
    }
    return whole;
  }

  function takeUnit(unit: number): void {
    taken++;
    for (const search of open) search.matched = search.matcher.take(unit);
    if (open.every(({ length, matched }) => matched < length)) return;
    for (const { length, matched } of open) if (matched === length) end = Math.min(end, taken - length);
    open = open.filter(({ length, matched }) => matched < length);
  }
}

/** The first `length` units, without a last one that may be the first half of a pair. */
export function wholePairs(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, Math.max(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length));
}
