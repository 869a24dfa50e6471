/** A schema that has no grammar. The message names the rule, never the schema, because it is logged. */
export class GrammarFault extends Error {}

/** The most characters of a grammar. The time for a token grows with the grammar. */
const charactersMax = 65_536;
/**
 * The most copies of all repeated items together. llama.cpp writes them out, rejects one item with some more, and prints
 * a grammar that it rejects.
 */
const copiesMax = 900;

/** The rules of any JSON. Numbers and white space have a bounded length, so that they end. */
const jsonRules: ReadonlyMap<string, string> = new Map([
  ['ws', String.raw`( " " | "\n" [ \t]{0,20} )?`],
  ['char', String.raw`[^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{4} )`],
  ['string', String.raw`"\"" char* "\""`],
  ['integer', '"-"? ( "0" | [1-9] [0-9]{0,14} )'],
  ['number', 'integer ( "." [0-9]{1,15} )? ( [eE] [-+]? [0-9]{1,2} )?'],
  ['boolean', '"true" | "false"'],
  ['null', '"null"'],
  ['member', 'string ":" ws value'],
  ['object', '"{" ws ( member ( ws "," ws member )* ws )? "}"'],
  ['array', '"[" ws ( value ( ws "," ws value )* ws )? "]"'],
  ['value', 'object | array | string | number | boolean | null'],
]);

/** Collects the rules of one grammar in the language of llama.cpp (GBNF). */
export type GrammarRules = {
  /** Adds a rule and returns its name. */
  add(body: string): string;
  /** Reserves a name for a rule that refers to itself. */
  reserve(): string;
  define(name: string, body: string): void;
  /** Repeats an expression. A bound above what a grammar can have is left out or a fault. */
  repeat(expression: string, least: number, most: number): string;
  /** The whole grammar. */
  write(root: string): string;
};

/** Every method throws a `GrammarFault` for a grammar that is too large. */
export function createGrammarRules(): GrammarRules {
  const rules = new Map<string, string>();
  let characters = 0;
  let copiesLeft = copiesMax;
  let reserved = 0;
  return {
    add(body) {
      const name = reserve();
      define(name, body);
      return name;
    },
    reserve,
    define,
    repeat(expression, least, most) {
      if (most < least) throw new GrammarFault('no value satisfies the schema');
      copiesLeft -= least;
      if (copiesLeft < 0) throw new GrammarFault(`the schema needs more than ${copiesMax} repetitions`);
      if (most - least > copiesLeft) return `( ${expression} ){${least},}`;
      copiesLeft -= most - least;
      return `( ${expression} ){${least},${most}}`;
    },
    write: (root) =>
      [['root', root] as const, ...rules, ...jsonRules]
        .map(([name, body]) => `${name} ::= ${body}\n`)
        .join(''),
  };

  function reserve(): string {
    reserved++;
    return `rule${reserved}`;
  }

  function define(name: string, body: string): void {
    characters += body.length;
    if (characters > charactersMax)
      throw new GrammarFault(`the grammar of the schema is longer than ${charactersMax} characters`);
    rules.set(name, body);
  }
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Writes a text that the grammar requires as it is. */
export function literal(text: string): string {
  return `"${text
    .toWellFormed()
    .replace(/[\\"]/g, '\\$&')
    .replace(/[\n\r\t]/g, (unit) => escapes[unit] ?? unit)}"`;
}

export function alternatives(expressions: readonly string[]): string {
  if (expressions.length === 0) throw new GrammarFault('no value satisfies the schema');
  const [only, ...others] = [...new Set(expressions)];
  return others.length === 0 ? `${only}` : `( ${[only, ...others].join(' | ')} )`;
}
