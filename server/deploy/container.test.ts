import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chainId } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { type Image, readContainerfile } from '../testing/deploy/containerfile.ts';
import { findFreePort } from '../testing/free-port.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { programEnvironment } from '../testing/program-environment.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';

// The steps of the Containerfile without a container engine: the package in a bare folder, the variables, the entry point
// and the health check of the image, another user, and a read-only root.

const root = fileURLToPath(new URL('../..', import.meta.url));
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
/** Few test machines may make a file system read-only for one process. */
const mayMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
const containerfile = join(root, 'server/Containerfile');

let folder: string;
let installed: string;
let data: string;
let image: Image;
let devnet: Devnet;
let gateway: ChildProcess | null = null;

beforeAll(async () => {
  image = readContainerfile(containerfile);
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-container-'));
  chmodSync(folder, 0o755);
  // The test of all packages checks the types of the same sources.
  execFileSync(
    process.execPath,
    [join(root, '.config/pack.ts'), '--into', join(folder, 'packed'), '--unchecked'],
    {
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  installed = join(folder, 'installed');
  install(join(installed, 'node_modules/@paid-inference/server'));
  data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, nobody, nobody);
  devnet = await startDevnet({ chainId });
}, 120_000);
afterEach(() => {
  gateway?.kill('SIGKILL');
  gateway = null;
});
afterAll(async () => {
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Installs the tarball. Dependencies are linked, so that the test needs no network. */
function install(place: string): void {
  mkdirSync(place, { recursive: true });
  const [tarball = ''] = globSync('packed/paid-inference-server-*.tgz', { cwd: folder });
  execFileSync('tar', [
    '-xzf',
    join(folder, tarball),
    '--strip-components=1',
    '--no-same-owner',
    '-C',
    place,
  ]);
  const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) {
    if (dependency.startsWith('@paid-inference/')) continue;
    const link = join(place, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), link);
  }
}

/** Replaces the paths and the Node of the image by those of this machine. */
function toHere(command: readonly string[]): string[] {
  const [program, ...args] = command;
  expect(program).toBe('node');
  return [process.execPath, ...args.map((each) => each.replace(/^\/installed\//, `${installed}/`))];
}

/** Runs a command as the image does: as another user, with nothing to write to but the data. */
function inContainer(command: readonly string[]): string[] {
  const asUser = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  if (!isRoot) return [...command];
  if (!mayMount) return [...asUser, ...command];
  const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, data, ...asUser, ...command];
}

async function start(port: number, change: Record<string, string> = {}) {
  const [program = '', ...args] = inContainer(toHere([...image.entryPoint, '--json']));
  gateway = spawn(program, args, {
    cwd: data,
    env: {
      ...programEnvironment,
      ...image.environment,
      DATABASE_FILE: image.environment['DATABASE_FILE']?.replace(image.workingFolder, data),
      PORT: String(port),
      LOG_LEVEL: 'warn',
      PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
      CHAIN_RPC_URL: devnet.rpcUrl,
      TOKEN_ADDRESS: devnet.token.address,
      TOKEN_NAME: devnet.token.name,
      PAY_TO: devnet.payTo,
      RELAYER_KEY: devnet.relayerKey,
      ...ledgerEnvironment(devnet.ledger),
      ...change,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = gateway;
  if (stdout === null || stderr === null) throw new Error('no pipes');
  let log = '';
  stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => gateway?.once('close', resolve));
  const lines = createInterface({ input: stdout });
  const first = await Promise.race([new Promise<string>((resolve) => lines.once('line', resolve)), ended]);
  if (typeof first !== 'string') throw new Error(`the gateway ended with ${first}: ${log}`);
  return { ready: JSON.parse(first), ended, pid: gateway.pid ?? 0 };
}

function checkHealth(port: number): number | null {
  const [program = '', ...args] = toHere(image.healthCheck);
  return spawnSync(program, args, { env: { ...programEnvironment, PORT: String(port) } }).status;
}

it('The image runs as another user than root, and writes to one folder', () => {
  expect(image).toMatchObject({ user: 'node', workingFolder: '/data' });
  expect(image.environment['DATABASE_FILE']).toBe('/data/gateway.db');
  expect(image.commands.at(-1)).toBe('mkdir --mode=700 /data && chown node:node /data');
});

it('The build packs and installs as this test does', () => {
  const [build = ''] = image.commands;
  for (const step of [
    'npm ci --ignore-scripts',
    'node .config/pack.ts --into /packed',
    '--prefix /installed',
  ])
    expect(build).toContain(step);
  // The devnet is an optional dependency, and npm omits none from a global installation.
  expect(build).toMatch(/npm install (?!.*--global).* --omit=optional /);
  expect(image.entryPoint.at(-1)).toBe('/installed/node_modules/@paid-inference/server/main.js');
});

it('The package sells on a read-only root as another user, is healthy, and stops', async () => {
  const port = await findFreePort();
  expect(checkHealth(port)).toBe(1);
  const { ready, ended, pid } = await start(port);
  expect(checkHealth(port)).toBe(0);
  const chat = `${ready.url}${chatPath}`;
  const header = await paymentFor(decodeOffer(await post(chat, chatBody)), devnet.payer.privateKey);
  expect((await post(chat, chatBody, header)).status).toBe(200);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (isRoot) expect(status).toMatch(new RegExp(`^Uid:\\s${nobody}\\s`, 'm'));
  if (mayMount) expect(readFileSync(`/proc/${pid}/mounts`, 'utf8')).toMatch(/^\S+ \/ \S+ ro[, ]/m);
  expect(readdirSync(data).filter((name) => !/^gateway\.db(-wal|-shm|\.key|\.lock)?$/.test(name))).toEqual(
    [],
  );
  gateway?.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(checkHealth(port)).toBe(1);
});
