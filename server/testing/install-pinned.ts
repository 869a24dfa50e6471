import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, type PackageLock } from './package-lock.ts';

/**
 * Installs the packages of a folder that has a lock file of its own, unless they are there. Runs no install script.
 * Throws when the installation fails.
 */
export function installPinned(
  folder: string,
  say: (line: string) => void,
  options: readonly string[] = [],
): void {
  const wanted = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && isInstalled(readLock(wanted), readLock(installed))) return;
  say(`Installing the packages of ${folder} …`);
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function readLock(path: string): PackageLock {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageLock;
}
