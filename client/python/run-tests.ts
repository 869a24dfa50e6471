import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type GatewayProcess, startGatewayProcess } from '../demo/gateway-process.ts';
import { type Measured, replaceTables } from './tables.ts';

/** One virtual environment for each HTTP library, because LiteLLM needs an `openai` below version 3. */
const environments = ['httpx2', 'httpx'] as const;

const here = import.meta.dirname;
const readme = join(here, 'README.md');
const cache = join(here, '..', '..', 'node_modules', '.cache');
const interruptedExitCode = 130;

const help = `Usage: npm run test:python [-- [--write] [tests]]

Tests the Python package against a gateway with a devnet of its own. Installs pinned packages from the index of pip
into virtual environments under node_modules/.cache. Compares the tables of client/python/README.md with the run.

  --write   Writes the measured tables into README.md.
  tests     Names of files in tests/, such as test_limits.py. The tables are then left alone.

Exit codes: 0 every test passed or there is no python3, 1 a test failed, 130 interrupted.
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

if (options.help) process.stdout.write(help);
else if (!hasPython()) {
  console.log('Skipped all tests of client/python: this machine has no python3 (3.10 or later) with venv.');
} else await testAll();

function hasPython(): boolean {
  const code = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
  return spawnSync('python3', ['-c', code], { stdio: 'ignore' }).status === 0;
}

async function testAll(): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort(name));
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-python-'));
  let gateway: GatewayProcess | null = null;
  try {
    const pythons = [];
    for (const name of environments) pythons.push(await prepare(name));
    gateway = await startGatewayProcess(interruption.signal);
    writeFileSync(join(folder, 'gateway.json'), JSON.stringify(gateway.ready));
    let measured: Measured = { faults: {}, features: {} };
    for (const [index, python] of pythons.entries()) {
      const file = join(folder, `measured-${index}.json`);
      await test(python, join(folder, 'gateway.json'), file);
      const { faults, features }: Measured = JSON.parse(readFileSync(file, 'utf8'));
      measured = {
        faults: { ...measured.faults, ...faults },
        features: { ...measured.features, ...features },
      };
    }
    if (positionals.length === 0) checkTables(measured);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = interruption.signal.aborted ? interruptedExitCode : 1;
  } finally {
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the environment unless it has the same pinned packages, and installs the package. */
async function prepare(name: string): Promise<string> {
  const requirements = join(here, 'tests', `requirements-${name}.txt`);
  const pins = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const environment = join(cache, `python-${name}-${pins}`);
  const python = join(environment, 'bin', 'python');
  const complete = join(environment, 'complete');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  if (!existsSync(complete)) {
    rmSync(environment, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', environment], here);
    await run(python, [...pip, '-r', requirements], here);
    await run(python, ['-m', 'pip', 'check'], here);
    writeFileSync(complete, '');
  }
  await run(python, [...pip, '--no-build-isolation', '--force-reinstall', here], here);
  return python;
}

/** Checks the types and runs pytest, outside this folder, so that the tests import the installed package. */
async function test(python: string, gateway: string, rows: string): Promise<void> {
  const outside = join(python, '..');
  const config = join(here, 'pyproject.toml');
  const types = ['--config-file', config, '--cache-dir', join(outside, 'types'), '-p', 'paid_inference'];
  await run(python, ['-B', '-m', 'mypy', ...types], outside);
  const places = ['-c', config, '--rootdir', here, '--gateway', gateway, '--rows', rows];
  const chosen = (positionals.length === 0 ? ['.'] : positionals).map((name) => join(here, 'tests', name));
  await run(python, ['-B', '-m', 'pytest', '-q', '-rs', ...places, ...chosen], outside);
}

function run(program: string, parameters: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, parameters, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${[program, ...parameters].join(' ')} ended with exit code ${code}`)),
    );
  });
}

function checkTables(measured: Measured): void {
  const page = readFileSync(readme, 'utf8');
  const wanted = replaceTables(page, measured);
  if (wanted === page) return;
  if (options.write) writeFileSync(readme, wanted);
  else throw new Error('README.md has other tables. Run npm run test:python -- --write and commit them');
}
