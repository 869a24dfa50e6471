import { readFileSync } from 'node:fs';

/** The text of the contract, verbatim. */
export const contractText = readFileSync(new URL('../gateway-interface.txt', import.meta.url), 'utf8');

/** Heading and text of every section by number, without subsections; `0` is the text above section 1. */
export const sections: ReadonlyMap<string, string> = readSections();

/** The cells of the table rows of a section, without headings. A cell keeps its Markdown. */
export function tableRows(section: string): readonly (readonly string[])[] {
  const text = sections.get(section);
  if (text === undefined) throw new Error(`The contract has no section ${section}`);
  const lines = text.split('\n');
  return lines
    .filter((line, at) => line.startsWith('|') && !isRule(line) && !isRule(lines[at + 1] ?? ''))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function readSections(): Map<string, string> {
  const found = new Map<string, string>();
  let number = '0';
  for (const line of contractText.split('\n')) {
    number = /^#{2,} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1] ?? number;
    found.set(number, `${found.get(number) ?? ''}${line}\n`);
  }
  return found;
}

/** The line of dashes below the heading of a table. */
function isRule(line: string): boolean {
  return /^\|[-| ]+\|$/.test(line);
}
