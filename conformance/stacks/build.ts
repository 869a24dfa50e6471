import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, type Surroundings } from './program.ts';
import { type Stack, type Step, stacksFolder } from './stack.ts';

/** Compilers of a first run also compile all dependencies. */
const stepSecondsMax = 1_800;
const linesMax = 30;

/**
 * Copies a stack to its scratch folder and runs its steps there. Returns the fault of the first step that fails or
 * warns; undefined if all succeed.
 */
export async function buildStack(
  stack: Stack,
  surroundings: Omit<Surroundings, 'deadlineSeconds'>,
): Promise<string | undefined> {
  const { folder } = surroundings;
  mkdirSync(folder, { recursive: true });
  // With the old times, a compiler does not compile unchanged files again.
  cpSync(join(stacksFolder, stack.name), folder, { recursive: true, preserveTimestamps: true });
  for (const step of stack.steps) {
    const installed = step.lock && {
      file: join(folder, `.done-${step.name}`),
      content: hashStep(step, folder),
    };
    if (installed && existsSync(installed.file) && readFileSync(installed.file, 'utf8') === installed.content)
      continue;
    const ended = await runProgram(step.command, { ...surroundings, deadlineSeconds: stepSecondsMax });
    const output = `${ended.stdout}\n${ended.stderr}`;
    if (ended.fault !== undefined) return [`${step.name} ${ended.fault}`, ...lastLines(output)].join('\n  ');
    // Installers warn about the packages of others.
    const warnings = step.lock ? [] : listWarnings(output, stack);
    if (warnings.length > 0) return [`${step.name} warns`, ...warnings.slice(0, linesMax)].join('\n  ');
    if (installed) writeFileSync(installed.file, installed.content);
  }
  return undefined;
}

/** The lines with a warning, apart from the explained ones. */
export function listWarnings(
  output: string,
  { explained = [] }: Pick<Stack, 'explained'>,
): readonly string[] {
  return output
    .split('\n')
    .filter((line) => /\bwarn(ings?)?\b/i.test(line) && !/\b(0|no) warnings?\b/i.test(line))
    .filter((line) => !explained.some(({ text }) => line.includes(text)));
}

function hashStep({ command, lock = [] }: Step, folder: string): string {
  const hash = createHash('sha256').update(JSON.stringify(command));
  for (const file of lock) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

function lastLines(output: string): readonly string[] {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-linesMax);
}
