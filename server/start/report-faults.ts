import { showControls } from '../observe/pretty-line.ts';

/** Prints a headline and faults to standard error, each fault on one line. */
export function reportFaults(headline: string, faults: readonly string[]): void {
  console.error([headline, ...faults.map((fault) => `  - ${toLine(fault)}`)].join('\n'));
}

/**
 * Faults may repeat arguments, names of files, and texts of nodes. Some faults of Node have several lines. A
 * private key in the wrong place is hidden.
 */
export function toLine(fault: string): string {
  return showControls(hideKeys(fault.replaceAll('\n', ' ')));
}

/** Hides each private key: 32 bytes in hex that came with the command line. */
export function hideKeys(text: string): string {
  const keys = process.argv.slice(2).flatMap((given) => given.match(/(?:0x)?[0-9a-f]{64}/gi) ?? []);
  return keys.reduce((hidden, key) => hidden.replaceAll(key, '<secret>'), text);
}
