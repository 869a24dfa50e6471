/** An expression from a text, in the form to show, with its result; null when the result is undefined. */
export type Calculation = { readonly expression: string; readonly result: number | null };

/** The most characters that are read. */
const charactersMax = 1_000;

/**
 * Finds and computes the first sum in a text: `+ - * / ^`, brackets, and the words for them. Ignores text that
 * only looks like a sum, such as a date, and single numbers.
 */
export function findCalculation(text: string): Calculation | null {
  const head = text.slice(0, charactersMax).replace(/\d{4}-\d{2}-\d{2}/g, '§');
  const parts = [...head.matchAll(token)];
  for (let start = 0; start < parts.length; start++) {
    const symbols: Mark[] = [];
    let end = Number.NaN;
    for (const part of parts.slice(start)) {
      if (symbols.length > 0 && head.slice(end, part.index).trim() !== '') break;
      symbols.push(readSymbol(part[0]));
      end = part.index + part[0].length;
    }
    const read = readSum(symbols, 0, 0, 0);
    if (read === null || read.operators === 0) continue;
    const expression = symbols.slice(0, read.next).map(String).join(' ');
    const shown = expression.replaceAll('( ', '(').replaceAll(' )', ')');
    return { expression: shown, result: Number.isFinite(read.value) ? read.value : null };
  }
  return null;
}

/** The digits that a double represents exactly. */
const digitsMax = 12;

export function shownNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(digitsMax)));
}

type Mark = number | string;

const wordSymbols: Readonly<Record<string, string>> = {
  plus: '+',
  minus: '-',
  '−': '-',
  times: '*',
  'multiplied by': '*',
  x: '*',
  '×': '*',
  '·': '*',
  'divided by': '/',
  '÷': '/',
  '**': '^',
};
const token =
  /\d+(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\*\*|[-+*/^()×÷·−]|\b(?:plus|minus|times|x|multiplied by|divided by)\b/gi;

function readSymbol(text: string): Mark {
  if (/^\d/.test(text)) return Number(text.replaceAll(',', ''));
  return wordSymbols[text.toLowerCase()] ?? text;
}

type Reading = { readonly value: number; readonly next: number; readonly operators: number };
type Operation = (a: number, b: number) => number;

/** The operations, those that bind less first. */
const operations: readonly Readonly<Record<string, Operation>>[] = [
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
  { '^': (a, b) => a ** b },
];
/** The level of powers. The right side of a power is a power too: `2 ^ 3 ^ 2` is 512. */
const powers = 2;
const bracketsMax = 50;

/** Reads as many operations of a level or above as there are. */
function readSum(symbols: readonly Mark[], at: number, level: number, brackets: number): Reading | null {
  const operationsOfLevel = operations[level];
  if (operationsOfLevel === undefined) return readOperand(symbols, at, brackets);
  let left = readSum(symbols, at, level + 1, brackets);
  while (left !== null) {
    const operation = operationsOfLevel[String(symbols[left.next])];
    const right =
      operation === undefined ? null : readSum(symbols, left.next + 1, Math.min(level + 1, powers), brackets);
    if (operation === undefined || right === null) return left;
    const operators = left.operators + right.operators + 1;
    left = { value: operation(left.value, right.value), next: right.next, operators };
  }
  return null;
}

function readOperand(symbols: readonly Mark[], at: number, brackets: number): Reading | null {
  const symbol = symbols[at];
  if (typeof symbol === 'number') return { value: symbol, next: at + 1, operators: 0 };
  if (symbol === '-' && typeof symbols[at + 1] === 'number')
    return { value: -Number(symbols[at + 1]), next: at + 2, operators: 0 };
  if (symbol !== '(' || brackets >= bracketsMax) return null;
  const inner = readSum(symbols, at + 1, 0, brackets + 1);
  return inner !== null && symbols[inner.next] === ')' ? { ...inner, next: inner.next + 1 } : null;
}
