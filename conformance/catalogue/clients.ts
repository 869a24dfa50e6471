import { clientRequirements, scenarios } from '../clients/catalogue.ts';
import { variables } from '../clients/command.ts';
import { clientMutants } from '../clients/mutants/table.ts';
import { faultCases, publishedFaults } from '../clients/official/faults.ts';
import { publishedVerdicts } from '../clients/official/verdicts.ts';

type Row = readonly string[];

const tables: Readonly<Record<string, () => readonly string[]>> = {
  variables: () =>
    table(
      ['variable', 'value'],
      Object.entries(variables).map(([name, value]) => [code(name), value]),
    ),
  scenarios: () =>
    table(
      ['scenario', 'the gateway …'],
      scenarios.map(({ id, gateway }) => [code(id), gateway]),
    ),
  requirements: () =>
    table(['requirement', 'level', 'rule and source', 'mutants'], clientRequirements.map(requirementRow)),
  verdicts: () =>
    table(
      ['client', 'MUST', 'streams', 'failed', 'warnings', 'cannot be determined'],
      publishedVerdicts.map(({ client, must, failed, warned, open, unstreamed }) => [
        client,
        `${must.verified} of ${must.total}`,
        unstreamed.length === 0 ? 'yes' : 'no',
        ...[failed, warned, open].map((ids) => ids.map(code).join(', ')),
      ]),
    ),
  faults: () =>
    table(
      ['client', 'dialect', ...faultCases.map(({ name }) => name)],
      publishedFaults.map(({ client, dialect, cells }) => [
        client,
        dialect,
        ...faultCases.map(({ name }) => cells[name] ?? '?'),
      ]),
    ),
  mutants: () =>
    table(
      ['mutant', 'the client …'],
      clientMutants.map(({ id, does }) => [code(id), does]),
    ),
};

/** Replaces the tables of the page about clients, each between two marks. */
export function withClientTables(page: string): string {
  return Object.entries(tables).reduce((text, [name, make]) => {
    const [begin, end] = [`<!-- begin: ${name}, by \`npm run generate\` -->`, `<!-- end: ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page must contain ${begin}, followed by ${end}`);
    return [text.slice(0, from) + begin, '', ...make(), '', text.slice(to)].join('\n');
  }, page);
}

function requirementRow({ id, level, title, source, scenario }: (typeof clientRequirements)[number]): Row {
  const mutants = clientMutants.filter(({ breaks }) => breaks.includes(id)).map((each) => code(each.id));
  const where = scenario === undefined ? 'all scenarios' : `scenario ${code(scenario)}`;
  return [code(id), level, `${title} (${source}; ${where})`, mutants.join(', ')];
}

function table(columns: Row, rows: readonly Row[]): readonly string[] {
  const line = (cells: Row) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function code(text: string): string {
  return `\`${text}\``;
}
