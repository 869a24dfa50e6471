import { showControls } from '../observe/pretty-line.ts';

/** Prints a headline and faults to standard error, each fault on one line. */
export function reportFaults(headline: string, faults: readonly string[]): void {
  console.error([headline, ...faults.map((fault) => `  - ${toLine(fault)}`)].join('\n'));
}

/** Faults may repeat arguments, names of files, and texts of nodes. Some faults of Node have several lines. */
export function toLine(fault: string): string {
  return showControls(fault.replaceAll('\n', ' '));
}
