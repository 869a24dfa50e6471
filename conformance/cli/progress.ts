import { requirements } from '@paid-inference/contract/requirements';
import { checks } from '../checks/all.ts';
import type { JudgeOptions } from '../engine/judge.ts';
import { inScope, type Scope } from '../engine/scope.ts';
import { sectionTitles } from '../report/sections.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';

export type Screen = {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
};
type Heard = Required<Pick<JudgeOptions, 'onProgress' | 'onOutcome'>>;
export type Progress = Heard & { clear(): void };

const columnsDefault = 80;

/**
 * Shows the progress of a run: on a terminal as one line that changes, in CI as one line for each finished
 * section, elsewhere not at all. The output contains no text from the target.
 */
export function createProgress(screen: Screen, isCi: boolean, scope: Scope): Progress {
  if (screen.isTTY) return onTerminal(screen);
  const silent = () => undefined;
  return { onProgress: silent, onOutcome: isCi ? bySection(screen, scope) : silent, clear: silent };
}

function onTerminal(screen: Screen): Progress {
  let failed = 0;
  const clear = () => void screen.write('\r\x1b[K');
  return {
    clear,
    onProgress({ requirement, done, total }) {
      clear();
      const line = `${done}/${total} ${requirement}${failed === 0 ? '' : ` · ${failed} failed`}`;
      // A line that wraps could not be erased.
      screen.write(line.slice(0, (screen.columns ?? columnsDefault) - 1));
    },
    onOutcome({ outcome }) {
      if (outcome === 'fail') failed += 1;
    },
  };
}

/** Prints a line when the last check of a section has ended. The checks of other sections may come between. */
function bySection(screen: Screen, scope: Scope): Heard['onOutcome'] {
  const chosen = checks.filter(({ requirement }) => inScope(scope, requirement));
  const waiting = Map.groupBy(chosen, ({ requirement }): string => requirements[requirement].section);
  const ended = new Map<string, Outcome[]>();
  return ({ section, outcome }) => {
    const outcomesSoFar = [...(ended.get(section) ?? []), outcome];
    ended.set(section, outcomesSoFar);
    if (outcomesSoFar.length !== waiting.get(section)?.length) return;
    const counts = Map.groupBy(outcomesSoFar, (each) => each);
    const reported = outcomes.flatMap((each) =>
      counts.has(each) ? [`${counts.get(each)?.length} ${each}`] : [],
    );
    screen.write(`${section} ${sectionTitles[section] ?? ''}: ${reported.join(', ')}\n`);
  };
}
