import type { Findings } from './scenario.ts';

const columns = ['fault', 'responses', 'payments in the store', 'transfers on the chain', 'verdict'];

/** The cells of one row. */
export function formatRow({
  scenario,
  clientSaw,
  storeSays,
  chainSays,
  faults,
}: Findings): readonly string[] {
  const verdict = faults.length === 0 ? 'holds' : `FALSE: ${faults.join('; ').replaceAll(/\s+/g, ' ')}`;
  const fault = `${scenario.name} (${scenario.store})${scenario.limit ? ` [${scenario.limit}]` : ''}`;
  return [fault, clientSaw, storeSays, chainSays, verdict];
}

/** The table for a terminal, one line for each fault. */
export function textTable(found: readonly Findings[]): string {
  return byGroup(found)
    .map(([group, members]) => `\n${group}\n${members.map(textRow).join('\n')}`)
    .join('\n');
}

function textRow(findings: Findings): string {
  return formatRow(findings).join(' | ');
}

export function markdownTable(found: readonly Findings[]): string {
  return byGroup(found)
    .map(([group, members]) => {
      const lines = [columns, columns.map(() => '---'), ...members.map(formatRow)];
      return `### ${group}\n\n${lines.map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')}\n`;
    })
    .join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

function byGroup(found: readonly Findings[]): readonly (readonly [string, readonly Findings[]])[] {
  const groups = [...new Set(found.map(({ scenario }) => scenario.group))];
  return groups.map((group) => [group, found.filter(({ scenario }) => scenario.group === group)] as const);
}
