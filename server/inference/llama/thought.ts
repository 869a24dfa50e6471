import type { ThoughtFormat } from './chat-format.ts';

/** Leaves thoughts out of a text that arrives in parts. */
export type ThoughtFilter = {
  /** Takes the next part. Returns the text that certainly is no thought. */
  push(part: string): string;
  /** Returns the text that could have been the beginning of a mark. */
  end(): string;
};

/** White space behind a thought is left out too. */
export function createThoughtFilter(format: ThoughtFormat | null): ThoughtFilter {
  if (format === null) return { push: (part) => part, end: () => '' };
  const { prefix, suffix } = format;
  let isHidden = format.isFirst;
  let isBehindThought = false;
  let held = '';
  return {
    push(part) {
      held += part;
      let shown = '';
      for (;;) {
        const mark = isHidden ? suffix : prefix;
        const at = mark === null ? -1 : held.indexOf(mark);
        const length = at === -1 ? held.length - countMarkStart(held, mark ?? '') : at;
        if (!isHidden) shown += show(held.slice(0, length));
        held = held.slice(at === -1 ? length : at + (mark ?? '').length);
        if (at === -1) return shown;
        isBehindThought = isHidden;
        isHidden = !isHidden;
      }
    },
    end: () => (isHidden ? '' : show(held)),
  };

  function show(text: string): string {
    const visible = isBehindThought ? text.trimStart() : text;
    if (visible !== '') isBehindThought = false;
    return visible;
  }
}

/** The number of units at the end of a text with which the mark begins. */
function countMarkStart(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
