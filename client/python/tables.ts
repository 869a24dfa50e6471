type Cells = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The measured cells of both tables: by client and fault, and by SDK and feature. */
export type Measured = { readonly faults: Cells; readonly features: Cells };

const faults = [
  'none',
  ...['before', 'after'].flatMap((moment) =>
    ['503', '500', 'timeout', 'reset'].map((kind) => `${kind} ${moment}`),
  ),
];

/** Replaces the tables of a page by the measured ones. */
export function replaceTables(page: string, measured: Measured): string {
  const clients = Object.entries(measured.faults);
  const sdks = Object.keys(measured.features);
  const features = [...new Set(Object.values(measured.features).flatMap((cells) => Object.keys(cells)))];
  const withFaults = replaceTable(page, 'faults', [
    ['client', ...faults],
    ...clients.map(([client, cells]) => [client, ...faults.map((fault) => cells[fault] ?? '?')]),
  ]);
  return replaceTable(withFaults, 'features', [
    ['feature', ...sdks],
    ...features.map((feature) => [feature, ...sdks.map((sdk) => measured.features[sdk]?.[feature] ?? '?')]),
  ]);
}

/** Replaces the table between two marks. The first line has the names of the columns. */
function replaceTable(
  page: string,
  name: string,
  [head = [], ...body]: readonly (readonly string[])[],
): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no place for the table of ${name}`);
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |\n`);
  return page.slice(0, from) + begin + lines.join('') + page.slice(to);
}
