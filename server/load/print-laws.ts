import type { Law } from './laws.ts';

/** One line for each law. */
export function printLaws(laws: readonly Law[]): string {
  return laws
    .map(({ name, holds, figures }) => `${holds ? 'holds' : 'FALSE'}  ${name} (${figures})`)
    .join('\n');
}
