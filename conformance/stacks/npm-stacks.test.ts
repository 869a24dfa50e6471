import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainEnvironment } from '../testing/run-cli.ts';
import { runStack } from './run-stack.ts';
import { documents, readStacks, stacksFolder } from './stack.ts';
import { openTrial } from './trial.ts';

const modules = join(stacksFolder, '..', '..', 'node_modules');
/** The stacks whose generators are development dependencies, so that nothing is to be installed. */
const npmStacks = readStacks().filter(({ needs }) => needs.every((program) => program === 'node'));

const environment = {
  ...plainEnvironment,
  ...documents,
  PATH: `${join(modules, '.bin')}${delimiter}${plainEnvironment['PATH']}`,
  NO_COLOR: '1',
};

let trial: Awaited<ReturnType<typeof openTrial>>;
beforeAll(async () => {
  trial = await openTrial();
}, 60_000);
afterAll(() => trial.close(), 30_000);

describe('A client from npm', () => {
  it.each(npmStacks)('passes all rows: $title', { timeout: 180_000 }, async (stack) => {
    // Below node_modules, so that the compiled client finds its packages there.
    const folder = join(modules, '.cache', 'stacks-test', stack.name);
    const signal = new AbortController().signal;
    const rows = await runStack(stack, trial.run, { folder, environment, signal });
    expect(Object.entries(rows).filter(([, faults]) => faults.length > 0)).toEqual([]);
    const generated = stack.steps.length > 0 ? ['build', 'vectors'] : [];
    expect(Object.keys(rows)).toEqual([
      ...generated,
      ...(stack.scenarios ?? Object.keys(rows).slice(generated.length)),
    ]);
  });

  it('is one of the three stacks that need only Node', () => {
    expect(npmStacks.map(({ name }) => name)).toEqual(['ts-hey-api', 'ts-orval', 'x402-js']);
  });
});
