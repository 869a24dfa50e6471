import type { Report, Result } from '../engine/report.ts';
import { byRequirement } from './by-requirement.ts';
import { counted } from './counted.ts';
import { visibleLine } from './visible.ts';

/** Failures that the end of a run names; all of them stand in the tree. */
const failuresMax = 20;
/** Characters of a target's words in one of these lines. */
const detailCharactersMax = 160;

/** What failed, once more at the end: a tree is long, and a failure takes many inconclusive lines along with it. */
export function failureLines(report: Report): readonly string[] {
  const failed = byRequirement(report).filter(({ outcome }) => outcome === 'fail');
  const lines = failed.slice(0, failuresMax).map(({ requirement, results, expected }) => {
    const detail = results.find(({ outcome }) => outcome === 'fail')?.detail ?? '';
    return `✗ ${requirement}${expected ? ' (expected)' : ''}: ${visibleLine(detail, detailCharactersMax)}`;
  });
  return failed.length > failuresMax ? [...lines, `✗ and ${failed.length - failuresMax} more`] : lines;
}

/** What most of the inconclusive checks say, apart from numbers: one cause leaves many of them open. */
export function commonestReason({ results }: Report): readonly string[] {
  const open = results.filter(({ outcome }) => outcome === 'inconclusive');
  const groups = Map.groupBy(open, ({ detail }) => detail.replaceAll(/0x[0-9a-f]+|\d+/gi, '#'));
  const [most] = [...groups.values()].sort((one, other) => other.length - one.length);
  return most ? [reasonLine(most, open.length)] : [];
}

function reasonLine(most: readonly Result[], openCount: number): string {
  const reason = visibleLine(most[0]?.detail ?? '', detailCharactersMax);
  return `Of ${counted(openCount, 'inconclusive check')}, ${most.length} for this: ${reason}`;
}
