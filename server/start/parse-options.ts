import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * Parses the options of a command. Throws an error for an unknown option, and for one that is given twice: Node would
 * take the last and ignore the others.
 */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  options: Options,
  args: readonly string[] = process.argv.slice(2),
) {
  const { values, tokens } = parseArgs({ options, args: [...args], tokens: true });
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.rawName] : []));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Error(`${twice} is given twice. Leave one out.`);
  return values;
}
