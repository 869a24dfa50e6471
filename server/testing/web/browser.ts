import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

/** Names of Chromium on Debian, and of its relatives elsewhere. */
const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** Starts Chromium. Throws when this machine has none. */
export function startBrowser(options: readonly string[] = []): Promise<Browser> {
  const executablePath = programs.flatMap(findProgram)[0];
  if (executablePath === undefined)
    throw new Error(`There is no Chromium (${programs.join(', ')}). Install one: apt-get install chromium`);
  return chromium.launch({ executablePath, args: [...options] });
}

function findProgram(name: string): readonly string[] {
  try {
    return [execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()];
  } catch {
    return [];
  }
}
