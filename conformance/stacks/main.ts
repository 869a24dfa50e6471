import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keyVariable } from '../payment/key.ts';
import { buildStack } from './build.ts';
import { runProgram, type Surroundings } from './program.ts';
import { type Cell, type Results, readResults, resultsFile, rows, withResults } from './results.ts';
import { scenarios } from './scenarios.ts';
import { listMissing, readStacks, type Stack, stacksFolder } from './stack.ts';
import { openTrial, type Trial } from './trial.ts';

const root = join(stacksFolder, '..', '..');
const page = join(stacksFolder, '..', 'STACKS.md');
/** Not in this folder, so that the workspace's tools do not read the packages. */
const scratch = join(root, 'node_modules', '.cache', 'stacks');
const interruptedExitCode = 130;
const vectorsSecondsMax = 60;

const help = `Usage: npm run test:stacks [-- [--only <name>] [--fresh] [--markdown]]

Generates and compiles a client in each language of conformance/stacks, and runs it against a gateway with a devnet of
its own. Installs pinned packages under node_modules/.cache, and skips a stack whose toolchain is missing.

  --only <name>  Runs this stack only; may be repeated.
  --fresh        Installs everything again.
  --markdown     Writes results.json and the table of STACKS.md.

Exit codes: 0 everything passed or was skipped, 1 a stack failed, 2 an argument is wrong, 130 interrupted.
`;

const { values: options } = readOptions();
const stacks = readStacks().filter(({ name }) => options.only?.includes(name) ?? true);
const unknown = options.only?.find((name) => !stacks.some((stack) => stack.name === name));
if (options.help) process.stdout.write(help);
else if (unknown !== undefined) failUsage(`There is no stack ${unknown}`);
else await testAll();

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        fresh: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    failUsage(error instanceof Error ? error.message : String(error));
    return { values: { help: false, fresh: false, markdown: false, only: [] as string[] } };
  }
}

function failUsage(reason: string): void {
  console.error(`${reason}. See npm run test:stacks -- --help`);
  process.exitCode = 2;
}

async function testAll(): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort(name));
  const { [keyVariable]: _, ...environment } = process.env;
  const documents = {
    OPENAPI_30: join(root, 'generated', 'openapi.3.0.json'),
    OPENAPI_31: join(root, 'generated', 'openapi.json'),
    VECTORS: join(root, 'generated', 'vectors.json'),
  };
  const common = {
    environment: { ...environment, ...documents, NO_COLOR: '1' },
    signal: interruption.signal,
  };
  const measured: Record<string, Results[string]> = {};
  const trial = await openTrial();
  try {
    for (const stack of stacks) {
      const missing = listMissing(stack, environment['PATH'] ?? '');
      if (missing.length > 0) {
        console.log(`${stack.title}: skipped, because this machine has no ${missing.join(', ')}`);
        continue;
      }
      const folder = join(scratch, stack.name);
      if (options.fresh) rmSync(folder, { recursive: true, force: true });
      const cells = await testStack(stack, trial.run, { ...common, folder });
      if (interruption.signal.aborted) break;
      measured[stack.name] = { title: stack.title, cells };
    }
  } finally {
    await trial.close();
  }
  if (interruption.signal.aborted) process.exitCode = interruptedExitCode;
  else finish(measured);
}

/** Runs all rows of a stack, and prints the faults. */
async function testStack(
  stack: Stack,
  trial: Trial,
  surroundings: Omit<Surroundings, 'deadlineSeconds'>,
): Promise<Record<string, Cell>> {
  const cells: Record<string, Cell> = {};
  const note = (row: string, faults: readonly string[]) => {
    cells[row] = faults.length === 0 ? 'yes' : 'no';
    for (const fault of faults) console.log(`${stack.name} ${row}: ${fault}`);
  };
  const fault = await buildStack(stack, surroundings);
  note('build', fault === undefined ? [] : [fault]);
  if (fault === undefined) {
    if (stack.vectors !== undefined) {
      const ended = await runProgram(stack.vectors, { ...surroundings, deadlineSeconds: vectorsSecondsMax });
      note('vectors', ended.fault === undefined ? [] : [`${ended.fault}. ${ended.stderr}${ended.stdout}`]);
    }
    for (const scenario of scenarios)
      if (stack.scenarios?.includes(scenario.id) ?? true)
        note(scenario.id, await trial(scenario, stack.run, surroundings));
  }
  const passed = Object.values(cells).filter((cell) => cell === 'yes').length;
  console.log(`${stack.title}: ${passed} of ${Object.keys(cells).length} rows`);
  return cells;
}

function finish(measured: Results): void {
  const cells = Object.values(measured).flatMap((each) => rows.map((row) => each.cells[row]));
  if (cells.includes('no')) process.exitCode = 1;
  if (!options.markdown) return;
  const results = { ...readResults(), ...measured };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  spawnSync('biome', ['format', '--write', resultsFile], { cwd: root, stdio: 'inherit' });
  writeFileSync(page, withResults(readFileSync(page, 'utf8'), results));
}
