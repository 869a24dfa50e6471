import type { RequirementId } from '@paid-inference/contract/requirements';
import { checkedIds, isKilledAlone } from './alone.ts';
import type { Matrix } from './matrix.ts';
import { isAsItShould } from './score.ts';

/** The figures that show how reliable a verdict of the suite is. */
export type Figures = {
  readonly target: string;
  readonly soundRuns: number;
  readonly mutants: number;
  readonly strongKills: number;
  readonly weakKills: number;
  readonly survivors: number;
  readonly legalVariants: number;
  readonly falsePositives: number;
  readonly unresponsiveDeployments: number;
  readonly silentFoundOpen: number;
  /** MUST requirements with a check. */
  readonly must: number;
  readonly mustKilledAlone: number;
  /** Broken runs, and changes without effect. They are neither kills nor survivors. */
  readonly unscored: number;
};

export function computeFigures(matrix: Matrix): Figures {
  const { mutants, variants, unresponsive } = matrix;
  const count = (kind: string) => mutants.filter(({ score }) => score.kind === kind).length;
  const isUnscored = ({ score }: { score: { kind: string } }) => /^(broken|not-applied)$/.test(score.kind);
  const must = checkedIds('MUST');
  return {
    target: matrix.target,
    soundRuns: matrix.runs,
    mutants: mutants.length,
    strongKills: count('strong'),
    weakKills: count('weak'),
    survivors: count('survivor'),
    legalVariants: variants.length,
    falsePositives: variants.filter(({ score }) => score.kind === 'false-positive').length,
    unresponsiveDeployments: unresponsive.length,
    silentFoundOpen: unresponsive.filter(({ score }) => score.kind === 'open').length,
    must: must.length,
    mustKilledAlone: must.filter((id) => killersAlone(matrix, id).length > 0).length,
    unscored: [...mutants, ...variants, ...unresponsive].filter(isUnscored).length,
  };
}

/** Whether every result is as expected, and there is at least one. */
export function isTrustworthy(matrix: Matrix): boolean {
  const { mutants, variants, unresponsive } = matrix;
  return (
    matrix.void.length === 0 &&
    matrix.owing.length === 0 &&
    [...mutants, ...variants, ...unresponsive].every(({ score }) => isAsItShould(score)) &&
    mutants.length + variants.length + unresponsive.length > 0
  );
}

/** Ids of the mutants for which this requirement was the only MUST that failed. */
export function killersAlone({ mutants }: Matrix, id: RequirementId): readonly string[] {
  return mutants
    .filter(({ subject: { kills }, score }) => score.kind === 'strong' && isKilledAlone(kills, id))
    .map(({ subject }) => subject.id);
}
