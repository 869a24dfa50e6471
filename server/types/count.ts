/** Writes a number with its noun: `1 payment`, `2 payments`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
