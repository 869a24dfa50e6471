import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const cache = join(here, '..', '..', '..', 'node_modules', '.cache');

/** Whether this machine has a Python for all tools. */
export function hasPython(): boolean {
  const code = 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 13))';
  return spawnSync('python3', ['-c', code], { stdio: 'ignore' }).status === 0;
}

/** The pinned version of a tool. */
export function readToolVersion(tool: string): string {
  const [, version] = new RegExp(`^${tool}==(\\S+)$`, 'm').exec(readPins(tool)) ?? [];
  if (version === undefined) throw new Error(`requirements-${tool}.txt does not pin ${tool}`);
  return version;
}

function readPins(tool: string): string {
  return readFileSync(join(here, `requirements-${tool}.txt`), 'utf8');
}

/** Installs a tool into a virtual environment, unless it has the same pins already. Returns the folder of its programs. */
export async function installTool(tool: string): Promise<string> {
  const pins = createHash('sha256').update(readPins(tool)).digest('hex').slice(0, 12);
  const environment = join(cache, `tool-${tool}-${pins}`);
  const programs = join(environment, 'bin');
  const complete = join(environment, 'complete');
  if (existsSync(complete)) return programs;
  rmSync(environment, { recursive: true, force: true });
  await install('python3', ['-m', 'venv', environment]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  await install(join(programs, 'python'), [...pip, '-r', join(here, `requirements-${tool}.txt`)]);
  writeFileSync(complete, '');
  return programs;
}

function install(program: string, parameters: readonly string[]): Promise<void> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with exit code ${code}`)),
    );
  });
}
