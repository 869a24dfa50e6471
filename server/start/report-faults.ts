import { showControls } from '../observe/pretty-line.ts';

/** Prints a headline and faults to standard error, each fault on one line. */
export function reportFaults(headline: string, faults: readonly string[]): void {
  console.error([headline, ...faults.map((fault) => `  - ${toLine(fault)}`)].join('\n'));
}

/** Faults may repeat arguments, names of files, and texts of nodes. Some faults of Node have several lines. */
export function toLine(fault: string): string {
  return showControls(hideKeys(fault.replaceAll('\n', ' ')));
}

/** A key may lack a digit, or have some too many. An address has 40 digits. */
const keys = /(0x)?[0-9a-f]{48,}/gi;

/** Hides each private key in a fault of arguments, settings or files: 48 hexadecimal digits or more (D-425). */
export function hideKeys(fault: string): string {
  return fault.replace(keys, '<secret>');
}

/** The same for a text with transaction hashes: it hides only what the operator gave. */
export function hideGivenKeys(text: string, ...given: readonly object[]): string {
  const found = JSON.stringify([process.argv.slice(2), ...given]).match(keys) ?? [];
  return found.reduce((hidden, key) => hidden.replaceAll(key, '<secret>'), text);
}
