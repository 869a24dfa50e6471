import { readFileSync } from 'node:fs';
import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { contractText } from '../testing/contract-text.ts';
import { listSentences } from '../testing/sentences.ts';

/** The entry of a sentence in contract.yaml. */
type Mapping = {
  readonly text: string;
  readonly requirements?: readonly string[];
  readonly open?: string;
  readonly excluded?: string;
  readonly informative?: true;
};

const written: readonly { readonly section: string; readonly sentences: readonly Mapping[] }[] = parse(
  readFileSync(new URL('./contract.yaml', import.meta.url), 'utf8'),
);
const mappings = written.flatMap(({ section, sentences }) =>
  sentences.map((mapping) => ({ section, ...mapping })),
);
const sentences = listSentences(contractText);
const ids = Object.keys(requirements) as readonly RequirementId[];

describe('every sentence of the contract', () => {
  it.each(sentences)('$section: $text', ({ section, text }) => {
    const mapped = mappings.filter((mapping) => mapping.section === section && mapping.text === text);
    const times = sentences.filter((each) => each.section === section && each.text === text).length;
    expect(mapped, 'stands in contract.yaml').toHaveLength(times);
    for (const { requirements: mappedTo, open, excluded, informative } of mapped) {
      const said = [mappedTo?.length, excluded, informative].filter(Boolean);
      expect(said, 'is checked, excluded or informative, and one of them only').toHaveLength(1);
      expect(excluded ?? open ?? 'A reason.', 'a reason is a sentence').toMatch(/^["A-Z].*\.$/);
      if (open !== undefined) expect(mappedTo, 'what is open stands beside what is not').toBeDefined();
    }
  });
});

describe('contract.yaml', () => {
  it('has the sentences of the contract, in its order, and no others', () => {
    expect(mappings.map(({ section, text }) => ({ section, text }))).toEqual(
      sentences.map(({ section, text }) => ({ section, text })),
    );
  });

  it('names requirements that there are, and none twice for a sentence', () => {
    for (const { text, requirements: mappedTo = [] } of mappings) {
      expect(
        mappedTo.filter((id) => !(id in requirements)),
        text,
      ).toEqual([]);
      expect(mappedTo, text).toEqual([...new Set(mappedTo)]);
    }
  });

  it('holds nothing against a deployment by what is not shown', () => {
    const notShown = mappings.filter(({ text }) => /^[^|].*: not shown\.$/.test(text));
    expect(notShown.length).toBeGreaterThan(10);
    const binding = notShown.flatMap(({ requirements: mappedTo = [] }) =>
      mappedTo.filter((id) => requirements[id as RequirementId]?.level !== 'OBSERVED'),
    );
    expect(binding).toEqual([]);
  });
});

describe('every requirement', () => {
  it.each(ids)('%s stands beside the sentence that it quotes', (id) => {
    const { section, quote } = requirements[id];
    const quoted = mappings.filter((mapping) => mapping.section === section && mapping.text.includes(quote));
    expect(quoted.length, 'the quote is within one sentence').toBeGreaterThan(0);
    expect(quoted.some(({ requirements: mappedTo = [] }) => mappedTo.includes(id))).toBe(true);
  });
});

describe('taking the contract apart', () => {
  it('leaves no letter out but marks of lists and headings, and column names', () => {
    const kept = sentences.map(({ text }) => text).join('');
    const lines = contractText.split('\n');
    const all = lines
      .filter((line, at) => !/^\|[-| ]+\|$/.test(line) && !/^\|[-| ]+\|$/.test(lines[at + 1] ?? ''))
      .map((line) => line.trim().replace(/^(#+|-|\d+\.) /, ''))
      .join('');
    expect(kept.replace(/\s/g, '')).toBe(all.replace(/\s/g, ''));
  });

  it('ends a sentence at its full stop, and not at that of a number or a reference', () => {
    expect(
      listSentences('One is 1.0 (see 2.8). Two: `a.b`, at 7. Three.\n- Four. Five').map(({ text }) => text),
    ).toEqual(['One is 1.0 (see 2.8).', 'Two: `a.b`, at 7.', 'Three.', 'Four.', 'Five']);
  });

  it('takes a row of a table as a whole, and knows its section', () => {
    expect(listSentences('## 2. A\n\n### 2.1 B\n\n| C | D |\n|---|---|\n| `e` | F. G. |\n')).toEqual([
      { section: '2', kind: 'heading', text: '2. A' },
      { section: '2.1', kind: 'heading', text: '2.1 B' },
      { section: '2.1', kind: 'row', text: '| `e` | F. G. |' },
    ]);
  });
});
