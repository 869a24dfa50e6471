import type { Command } from 'commander';

/**
 * Makes a command refuse an option that is given twice. commander would take the last value and ignore the others,
 * such as a lower limit. An option stays repeatable if its description says so.
 */
export function refuseTwice(command: Command): void {
  const given = new Set<string>();
  for (const option of command.options.filter(({ description }) => !description.includes('repeat'))) {
    const name = option.name();
    command.on(`option:${name}`, () => {
      if (given.has(name)) command.error(`error: option '--${name}' is given twice; leave one out`);
      given.add(name);
    });
  }
}
