import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Matrix } from './matrix.ts';

/**
 * Shares a run among processes, each of which judges the sound gateway for itself. Their progress goes to standard
 * error. Rejects where a process ends without a matrix.
 */
export async function runInParts(
  program: string,
  parameters: readonly string[],
  count: number,
): Promise<Matrix> {
  const parts = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      runPart(program, [...parameters, '--part', `${index}/${count}`]),
    ),
  );
  const [first] = parts;
  if (first === undefined) throw new Error('no process ran');
  return mergeParts(first, parts);
}

/** One matrix of the parts. The run is void where one part is. */
export function mergeParts(first: Matrix, parts: readonly Matrix[]): Matrix {
  return {
    ...first,
    runs: parts.reduce((sum, { runs }) => sum + runs, 0),
    mutants: parts.flatMap(({ mutants }) => mutants),
    variants: parts.flatMap(({ variants }) => variants),
    unresponsive: parts.flatMap(({ unresponsive }) => unresponsive),
    void: parts.flatMap((part) => part.void),
  };
}

async function runPart(program: string, parameters: readonly string[]): Promise<Matrix> {
  const child = spawn(process.execPath, [program, ...parameters, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const written = await text(child.stdout);
  const [code] = (await exit) as [number | null];
  if (written === '') throw new Error(`a process of the matrix ended with ${code} and without a matrix`);
  return JSON.parse(written) as Matrix;
}
