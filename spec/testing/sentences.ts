/** A piece of the contract that says one thing, letter by letter as it stands there. */
export type Sentence = {
  /** Number of the section; `0` is what stands above section 1. */
  readonly section: string;
  readonly kind: 'heading' | 'row' | 'sentence';
  readonly text: string;
};

/**
 * Takes the contract apart, the same way each time: every heading, every row of a table as a whole, and of everything
 * else every sentence, without the mark of a list. The line of column names and the rule under it say nothing, and are
 * left out.
 */
export function listSentences(contract: string): readonly Sentence[] {
  const lines = contract.split('\n');
  let section = '0';
  return lines.flatMap((line, at): readonly Sentence[] => {
    section = /^#{2,} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1] ?? section;
    const text = line.trim();
    if (text === '' || isRule(text) || isRule(lines[at + 1] ?? '')) return [];
    if (text.startsWith('#')) return [{ section, kind: 'heading', text: text.replace(/^#+ /, '') }];
    if (text.startsWith('|')) return [{ section, kind: 'row', text }];
    return split(text.replace(/^(?:-|\d+\.) /, '')).map((each) => ({
      section,
      kind: 'sentence',
      text: each,
    }));
  });
}

/** A sentence ends with a full stop before white space and a capital letter, or at the end of the line. */
function split(text: string): readonly string[] {
  return text.split(/(?<=\.)\s+(?=[A-Z])/);
}

/** The line of dashes under the column names of a table. */
function isRule(line: string): boolean {
  return /^\|[-| ]+\|$/.test(line);
}
