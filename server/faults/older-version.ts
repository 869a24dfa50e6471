import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './folder.ts';

/** An older version of the gateway. No package is published yet, so it comes from the history of this repository. */
export type OlderVersion = {
  readonly commit: string;
  /** The versions of its stores. */
  readonly stores: { readonly sqlite: number; readonly postgres: number };
};

/** The oldest version that works beside this one on a PostgreSQL store (D-380). */
export const besideThis: OlderVersion = {
  commit: '22f283400073c7a249f13f2a413b6306d9dc1ebb',
  stores: { sqlite: 14, postgres: 15 },
};

/** The last version with an older SQLite store. */
export const beforeOwed: OlderVersion = {
  commit: '6a82d53d9418e5d0dcf901c6da5461ae830c3fd7',
  stores: { sqlite: 13, postgres: 14 },
};

/** Settings of the scenarios that these versions do not know. */
export const unknownToOlder = {
  upstreamPauseMs: undefined,
  upstreamPauseMsMax: undefined,
  payerInferencesMax: undefined,
} as const;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Whether this clone has the version. A shallow clone does not, nor does a folder without git. */
export function hasVersion({ commit }: OlderVersion): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{tree}`], { cwd: root }).status === 0;
}

/** Gives the program of an older version to `use`, and removes it afterwards. */
export async function withOlderVersion(
  version: OlderVersion,
  use: (program: string) => Promise<void>,
): Promise<void> {
  const { path, remove } = temporaryFolder();
  try {
    await use(checkOut(version, path));
  } finally {
    remove();
  }
}

/**
 * Writes an older version into a folder, with the packages that are installed here. Returns its program. The two
 * versions have the same dependencies, as far as a gateway uses them.
 */
function checkOut({ commit }: OlderVersion, path: string): string {
  const parts = ['package.json', 'server', 'generated'];
  const archive = run('git', ['archive', '--format=tar', commit, ...parts], root);
  run('tar', ['-xf', '-'], path, archive);
  const [installed, packages] = [join(root, 'node_modules'), join(path, 'node_modules')];
  mkdirSync(join(packages, '@paid-inference'), { recursive: true });
  for (const name of readdirSync(installed))
    if (!name.startsWith('.') && name !== '@paid-inference')
      symlinkSync(join(installed, name), join(packages, name));
  symlinkSync(join(path, 'generated'), join(packages, '@paid-inference/contract'));
  return join(path, 'server/main.ts');
}

const archiveBytesMax = 256 * 1_048_576;

function run(program: string, parameters: readonly string[], cwd: string, input?: Buffer): Buffer {
  const ended = spawnSync(program, [...parameters], {
    cwd,
    maxBuffer: archiveBytesMax,
    ...(input && { input }),
  });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${program} ${parameters.join(' ')} failed: ${ended.error?.message ?? ended.stderr}`);
}
