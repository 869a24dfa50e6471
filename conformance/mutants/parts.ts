import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Matrix } from './matrix.ts';

/**
 * Shares a run among processes. Each process runs the sound gateway by itself, and writes its progress to
 * standard error. Rejects when a process ends without a matrix.
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
  if (first === undefined) throw new Error('The count of processes must be at least 1.');
  return mergeParts(first, parts);
}

/** Merges the parts into one matrix. The run is void if one part is void. */
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
  if (written === '')
    throw new Error(`A process of the kill matrix ended with code ${code} and wrote no matrix.`);
  return JSON.parse(written) as Matrix;
}
