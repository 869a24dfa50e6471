import { requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { type Parts, renderCoverage } from './coverage.ts';
import { readSentences } from './sentences.ts';

const parts: Parts = { sections: readSentences(), checks, killers: () => ['no-header'] };

function findLine(text: string, start: string): string | undefined {
  return text.split('\n').find((line) => line.startsWith(start));
}

describe('COVERAGE.md', () => {
  it('has a line for every requirement with its checks and mutants', () => {
    const text = renderCoverage(parts);
    for (const [id, { level, profile, section }] of Object.entries(requirements)) {
      const anchor = id.toLowerCase().replaceAll('.', '-');
      const line = findLine(
        text,
        `| <a id="${anchor}"></a>\`${id}\` | ${level} | ${profile} | ${section} | `,
      );
      expect(line, id).toMatch(/ \| `no-header` \|$/);
      for (const { title } of checks.filter(({ requirement }) => requirement === id)) {
        expect(line).toContain(title.replaceAll('|', '\\|').replace(/<(?=[a-z])/g, '&lt;'));
      }
    }
  });

  it('links a sentence to its requirements, or gives the reason for none', () => {
    const text = renderCoverage({
      ...parts,
      sections: [
        {
          section: '7',
          sentences: [
            { text: '| `a|b` | <c> |', requirements: ['chat.200.status'], open: 'The rest.' },
            { text: 'Unseen.', excluded: 'Nobody sees it.' },
            { text: 'A word.', informative: true },
          ],
        },
      ],
    });
    expect(text).toContain('### Section 7');
    expect(text).toContain(
      '| \\| `a\\|b` \\| &lt;c> \\| | [`chat.200.status`](#chat-200-status) — open: The rest. |',
    );
    expect(text).toContain('| Unseen. | not checked: Nobody sees it. |');
    expect(text).toContain('| A word. | informative |');
    expect(text).toContain('3 headings, table rows and sentences. 1 are checked (1 of them');
  });
});
