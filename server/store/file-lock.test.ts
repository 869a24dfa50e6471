import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from './file-lock.ts';

const module = JSON.stringify(new URL('./file-lock.ts', import.meta.url).href);
/** Runs a program as process 1 of a process namespace of its own, as a container does. */
const asContainer = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const hasContainers = spawnSync(asContainer[0] ?? '', [...asContainer.slice(1), 'true']).status === 0;

let folder: string;
let path: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
  path = join(folder, 'gateway.db');
  children = [];
});
afterEach(async () => {
  for (const child of children) await kill(child);
  rmSync(folder, { recursive: true });
});

/** Starts another process that locks the file, prints its process id and the outcome, and keeps the lock. */
async function another(waitMs = 0, within: readonly string[] = []) {
  const script = `
    import { lockFile } from ${module};
    const lock = await lockFile(${JSON.stringify(path)}, ${waitMs});
    console.log(process.pid, lock === null ? 'in use' : 'locked');
    setInterval(() => lock?.issue(), 1_000);`;
  const [program = '', ...parts] = [...within, process.execPath, '--input-type=module', '--eval', script];
  const child = spawn(program, parts, { stdio: ['ignore', 'pipe', 'inherit'], env: searchPath() });
  children.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const [pid, outcome] = said.toString().trim().split(/ (.*)/);
  return { child, pid: Number(pid), outcome };
}

function searchPath(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '' };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
}

describe('The lock of a store file, for one process at a time (D-141)', () => {
  it('rejects a second process, and a second gateway in the same process', async () => {
    const lock = await lockFile(path, 0);
    expect((await another()).outcome).toBe('in use');
    expect(await lockFile(path, 0)).toBeNull();
    lock?.release();
    expect((await another()).outcome).toBe('locked');
  });

  it('lets the next process lock at once when the holder was killed', async () => {
    const { child, outcome } = await another();
    expect([outcome, await lockFile(path, 0)]).toEqual(['locked', null]);
    await kill(child);
    const lock = await lockFile(path, 0);
    expect(lock?.issue()).toBeNull();
    lock?.release();
  });

  it('ignores the pid file of an older version that names a living process', async () => {
    writeFileSync(`${path}.pid`, String(process.ppid));
    const lock = await lockFile(path, 0);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it.skipIf(!hasContainers)('rejects a second container with the same process id', async () => {
    const [first, second] = [await another(0, asContainer), await another(0, asContainer)];
    expect([first.pid, first.outcome]).toEqual([1, 'locked']);
    expect([second.pid, second.outcome]).toEqual([1, 'in use']);
  });

  it('waits for a holder that releases the lock', async () => {
    const lock = await lockFile(path, 0);
    const next = lockFile(path, 30_000);
    lock?.release();
    const taken = await next;
    expect(taken).not.toBeNull();
    taken?.release();
  });

  it('leaves no journal beside the lock, neither while the lock is held nor after a kill', async () => {
    const { child } = await another();
    const files = () => readdirSync(folder).toSorted();
    expect(files()).toEqual(['gateway.db', 'gateway.db.lock']);
    await kill(child);
    expect(files()).toEqual(['gateway.db', 'gateway.db.lock']);
  });

  it('treats a symbolic link as the file itself', async () => {
    const lock = await lockFile(path, 0);
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    expect(await lockFile(link, 0)).toBeNull();
    lock?.release();
  });

  it('reports a lock file that was deleted or moved, and nothing otherwise', async () => {
    const lock = await lockFile(path, 0);
    renameSync(`${path}.lock`, `${path}.moved`);
    expect(lock?.issue()).toContain(`${path}.lock was deleted or replaced`);
    writeFileSync(`${path}.lock`, '');
    expect(lock?.issue()).toContain('replaced');
    renameSync(`${path}.moved`, `${path}.lock`);
    expect(lock?.issue()).toBeNull();
    lock?.release();
  });
});

it.each([
  ['that was removed while the process runs', '.data/devnet'],
  ['that the system cannot make', '/proc/gateway/devnet'],
])('throws at once for a store in a folder %s (D-197)', (_name, place) => {
  const script = `
    import { chownSync, mkdtempSync, rmdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { lockFile } from ${module};
    const folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
    process.chdir(folder);
    rmdirSync(folder);
    await lockFile('${place}/store.sqlite', 0);`;
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 15_000,
    env: {},
    encoding: 'utf8',
  });
  expect({ status, signal }).toEqual({ status: 1, signal: null });
  expect(stderr).toContain('ENOENT');
});

it('throws for a lock file that this user cannot write, because it would exclude no other gateway (D-141)', () => {
  writeFileSync(`${path}.lock`, '', { mode: 0o444 });
  // Root may write every file, so another user tries.
  const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (other.uid !== undefined) chownSync(folder, other.uid, other.gid);
  const script = `
    import { lockFile } from ${module};
    await lockFile(${JSON.stringify(path)}, 0);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 15_000,
    env: {},
    encoding: 'utf8',
    ...other,
  });
  expect(status).toBe(1);
  expect(stderr).toContain('gateway.db.lock cannot be locked');
  expect(stderr).toContain('Let this user write it');
});

it('makes missing folders that only this user can read', async () => {
  const deep = join(folder, 'a', 'b');
  const lock = await lockFile(join(deep, 'gateway.db'), 0);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  lock?.release();
});
