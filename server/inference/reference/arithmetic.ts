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
    const read = readSum(symbols, 0, 0);
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
  times: '*',
  x: '*',
  '×': '*',
  '·': '*',
  '÷': '/',
  '−': '-',
  '**': '^',
};
const token =
  /\d+(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\*\*|[-+*/^()×÷·−]|\b(?:plus|minus|times|x|multiplied by|divided by)\b/gi;

function readSymbol(text: string): Mark {
  if (/^\d/.test(text)) return Number(text.replaceAll(',', ''));
  const word = text.toLowerCase();
  if (word.startsWith('mult')) return '*';
  if (word.startsWith('div')) return '/';
  return wordSymbols[word] ?? word;
}

type Reading = { readonly value: number; readonly next: number; readonly operators: number };

const bracketsMax = 50;

function readSum(symbols: readonly Mark[], at: number, brackets: number): Reading | null {
  return readChain(symbols, at, (from) => readProduct(symbols, from, brackets), {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
  });
}

function readProduct(symbols: readonly Mark[], at: number, brackets: number): Reading | null {
  return readChain(symbols, at, (from) => readPower(symbols, from, brackets), {
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
  });
}

function readChain(
  symbols: readonly Mark[],
  at: number,
  readOperand: (from: number) => Reading | null,
  operations: Readonly<Record<string, (a: number, b: number) => number>>,
): Reading | null {
  let left = readOperand(at);
  while (left !== null) {
    const operation = operations[String(symbols[left.next])];
    const right = operation === undefined ? null : readOperand(left.next + 1);
    if (operation === undefined || right === null) return left;
    const operators = left.operators + right.operators + 1;
    left = { value: operation(left.value, right.value), next: right.next, operators };
  }
  return null;
}

function readPower(symbols: readonly Mark[], at: number, brackets: number): Reading | null {
  const base = readOperand(symbols, at, brackets);
  if (base === null || symbols[base.next] !== '^') return base;
  const exponent = readOperand(symbols, base.next + 1, brackets);
  if (exponent === null) return base;
  const operators = base.operators + exponent.operators + 1;
  return { value: base.value ** exponent.value, next: exponent.next, operators };
}

function readOperand(symbols: readonly Mark[], at: number, brackets: number): Reading | null {
  const symbol = symbols[at];
  if (typeof symbol === 'number') return { value: symbol, next: at + 1, operators: 0 };
  if (symbol === '-' && typeof symbols[at + 1] === 'number')
    return { value: -Number(symbols[at + 1]), next: at + 2, operators: 0 };
  if (symbol !== '(' || brackets >= bracketsMax) return null;
  const inner = readSum(symbols, at + 1, brackets + 1);
  return inner !== null && symbols[inner.next] === ')' ? { ...inner, next: inner.next + 1 } : null;
}
