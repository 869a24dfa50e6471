import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keyVariable } from '../payment/key.ts';
import { type Cell, type Results, readResults, resultsFile, rows, withResults } from './results.ts';
import { type Rows, runStack } from './run-stack.ts';
import { documents, listMissing, readStacks, type Stack, stacksFolder } from './stack.ts';
import { openTrial } from './trial.ts';

const root = join(stacksFolder, '..', '..');
const page = join(stacksFolder, '..', 'STACKS.md');
/** Not in this folder, so that the workspace's tools do not read the packages. */
const scratch = join(root, 'node_modules', '.cache', 'stacks');
const interruptedExitCode = 130;

const help = `Usage: npm run test:stacks [-- [--only <name>] [--fresh] [--markdown]]

Generates and compiles a client in each language of conformance/stacks, and runs it against a gateway with a devnet of
its own. Installs pinned packages under node_modules/.cache, and skips a stack whose toolchain is missing.

  --only <name>  Runs this stack only; may be repeated.
  --fresh        Installs everything again.
  --markdown     Writes results.json and the table of STACKS.md.

Exit codes: 0 everything passed or was skipped, 1 a stack failed, 2 an argument is wrong, 130 interrupted.
`;

const options = readOptions();
const stacks = readStacks().filter(({ name }) => options?.only?.includes(name) ?? true);
const unknown = options?.only?.find((name) => !stacks.some((stack) => stack.name === name));
if (options?.help) process.stdout.write(help);
else if (unknown !== undefined) failUsage(`There is no stack ${unknown}`);
else if (options !== undefined) await testAll(options);

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        fresh: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    failUsage(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function failUsage(reason: string): void {
  console.error(`${reason}. See npm run test:stacks -- --help`);
  process.exitCode = 2;
}

async function testAll({ fresh, markdown }: NonNullable<typeof options>): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort(name));
  const { [keyVariable]: _, ...environment } = process.env;
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
      if (fresh) rmSync(folder, { recursive: true, force: true });
      const faults = await runStack(stack, trial.run, { ...common, folder });
      if (interruption.signal.aborted) break;
      measured[stack.name] = { title: stack.title, cells: report(stack, faults) };
    }
  } finally {
    await trial.close();
  }
  if (interruption.signal.aborted) process.exitCode = interruptedExitCode;
  else finish(measured, markdown);
}

/** Prints the faults of a stack. Returns its cells of the table. */
function report({ name, title }: Stack, faults: Rows): Record<string, Cell> {
  const cells = Object.entries(faults).map(([row, all]): [string, Cell] => {
    for (const fault of all) console.log(`${name} ${row}: ${fault}`);
    return [row, all.length === 0 ? 'yes' : 'no'];
  });
  const passed = cells.filter(([, cell]) => cell === 'yes').length;
  console.log(`${title}: ${passed} of ${cells.length} rows`);
  return Object.fromEntries(cells);
}

function finish(measured: Results, markdown: boolean): void {
  const cells = Object.values(measured).flatMap((each) => rows.map((row) => each.cells[row]));
  if (cells.includes('no')) process.exitCode = 1;
  if (!markdown) return;
  const results = { ...readResults(), ...measured };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  spawnSync('biome', ['format', '--write', resultsFile], { cwd: root, stdio: 'inherit' });
  writeFileSync(page, withResults(readFileSync(page, 'utf8'), results));
}
