import { buildStack } from './build.ts';
import { runProgram, type Surroundings } from './program.ts';
import { scenarios } from './scenarios.ts';
import type { Stack } from './stack.ts';
import type { Trial } from './trial.ts';

const vectorsSecondsMax = 60;

/** The faults of each row that the stack has; none for a row that passed. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/** Builds a stack, lets it check the vectors, and runs its scenarios. A stack that does not build has no other row. */
export async function runStack(
  stack: Stack,
  trial: Trial,
  surroundings: Omit<Surroundings, 'deadlineSeconds'>,
): Promise<Rows> {
  const rows: Record<string, readonly string[]> = {};
  const fault = await buildStack(stack, surroundings);
  if (stack.steps.length > 0 || fault !== undefined) rows['build'] = fault === undefined ? [] : [fault];
  if (fault !== undefined) return rows;
  if (stack.vectors !== undefined) {
    const ended = await runProgram(stack.vectors, { ...surroundings, deadlineSeconds: vectorsSecondsMax });
    rows['vectors'] = ended.fault === undefined ? [] : [`${ended.fault}. ${ended.stderr}${ended.stdout}`];
  }
  for (const scenario of scenarios)
    if (stack.scenarios?.includes(scenario.id) ?? true)
      rows[scenario.id] = await trial(scenario, stack.run, surroundings);
  return rows;
}
