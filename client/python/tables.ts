/** The measured cells of each client, by the fault. */
export type FaultRows = Readonly<Record<string, Readonly<Record<string, string>>>>;

const faults = [
  'none',
  ...['before', 'after'].flatMap((moment) =>
    ['503', '500', 'timeout', 'reset'].map((kind) => `${kind} ${moment}`),
  ),
];
const tablePattern = /(?<=<!-- faults -->\n)[\s\S]*?(?=<!-- end of faults -->)/;

/** Replaces the table of a page by the measured one. */
export function replaceFaultTable(page: string, rows: FaultRows): string {
  if (!tablePattern.test(page)) throw new Error('The page has no place for the table of faults');
  const lines = [
    ['client', ...faults],
    ['---', ...faults.map(() => '---')],
    ...Object.entries(rows).map(([client, cells]) => [client, ...faults.map((fault) => cells[fault] ?? '?')]),
  ].map((cells) => `| ${cells.join(' | ')} |\n`);
  return page.replace(tablePattern, () => lines.join(''));
}
