import {
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from './engine/report.ts';
import { catalogModel } from './independent/steps.ts';
import { type Listening, listenOnLoopback, startFakeTarget } from './testing/fake-target.ts';
import { runCli } from './testing/run-cli.ts';
import { runMain } from './testing/run-main.ts';

const timeout = 90_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-endings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[], environment?: Record<string, string>) =>
  runMain(folder, args, environment);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('a target that gives no response ends with 2', { timeout }, () => {
  const refused =
    'http://127.0.0.1:1 cannot be reached: connection refused (ECONNREFUSED). Start the gateway, or correct host and port.';

  it.each([
    ['without a model', []],
    ['with a model', ['--model', catalogModel]],
    ['with --allow-incomplete', ['--allow-incomplete']],
    ['with expected failures', ['--expected-failures', 'known.yaml']],
  ])('%s, in one line and in the reports', async (_, args) => {
    writeFileSync(join(folder, 'known.yaml'), '- id: offer.payTo\n  reason: known\n');
    const { code, stdout, stderr } = await run([
      'http://127.0.0.1:1',
      ...args,
      ...['report.json', 'summary.md', 'report.html'].flatMap((name) => ['--report', name]),
    ]);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `conformance: ${refused}\n` });
    const report: Report = JSON.parse(read('report.json'));
    expect(report).toMatchObject({ exitCode: 2, verdict: 'incomplete', unreached: 'ECONNREFUSED' });
    for (const name of ['summary.md', 'report.html']) expect(read(name)).toContain('connection refused');
  });

  it('prints the report with --json', async () => {
    const { code, stdout, stderr } = await run(['http://127.0.0.1:1', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 2, unreached: 'ECONNREFUSED' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: `conformance: ${refused}\n` });
  });

  it('names an unknown host', async () => {
    const { code, stderr } = await run(['http://no-such-host.invalid', '--timeout-ms', '5000']);
    expect(stderr).toMatch(
      / cannot be reached: DNS (has no such host|did not resolve the host) \(E[A-Z_]+\)\. \w/,
    );
    expect(code).toBe(2);
  });

  it('suggests http:// when an https port uses plain HTTP', async () => {
    await using target = await startFakeTarget();
    const { code, stderr } = await run([target.url.replace('http:', 'https:')]);
    expect(stderr).toMatch(
      / cannot be reached: the TLS handshake failed \(TLS failed, [A-Z_]+\)\. If the port uses plain HTTP, use http:\/\/\.\n$/,
    );
    expect(code).toBe(2);
  });

  it('suggests https:// when an http port uses TLS', async () => {
    await using target = await listening(createTlsServer());
    const { code, stderr } = await run([target.url]);
    expect(stderr).toMatch(/ cannot be reached: .* If the port uses TLS, use https:\/\/\.\n$/);
    expect(code).toBe(2);
  });

  it.each([
    ['closes the connection', (socket: Socket) => void socket.destroy(), 'closed without a response'],
    ['is no HTTP server', (socket: Socket) => void socket.end('SSH-2.0-none\r\n'), 'is not HTTP (HPE_'],
    [
      'does not respond',
      () => undefined,
      'no response in time (timed out after 300 ms). Check host, port and',
    ],
  ])('gives the cause for a target that %s', async (_, onSocket, words) => {
    await using target = await listening(createServer(onSocket));
    const { code, stderr } = await run([target.url, '--timeout-ms', '300']);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('names the target of a redirect', async () => {
    await using target = await listenOnLoopback((_, response) =>
      response.writeHead(308, { Location: 'https://gateway.example/v1/models' }).end(),
    );
    const { code, stderr } = await run([target.url]);
    expect(stderr).toContain('redirected (308) to https://gateway.example/v1/models');
    expect(stderr).not.toContain('--model');
    expect(code).toBe(2);
  });
});

describe('a run that ends early', { timeout }, () => {
  it('at its deadline is incomplete (3)', async () => {
    await using target = await listening(createServer());
    const { code, stdout } = await run([target.url, '--deadline-seconds', '1']);
    expect(stdout).toContain("the run's deadline was reached");
    expect(code).toBe(3);
  });
});

describe('a run that verified no MUST', { timeout }, () => {
  it('ends with 3, even with --allow-incomplete', async () => {
    await using target = await startFakeTarget();
    const { code } = await run([target.url, '--filter', 'unpaid.402.body', '--allow-incomplete']);
    expect(code).toBe(3);
  });
});

describe('a report file', { timeout }, () => {
  it('keeps its old contents when nothing was judged, and is not created empty', async () => {
    await using target = await startFakeTarget();
    writeFileSync(join(folder, 'kept.json'), '{"earlier":true}');
    const names = ['kept.json', 'new.html'].flatMap((name) => ['--report', name]);
    expect((await run([target.url, '--model', 'nope/x', ...names])).code).toBe(2);
    expect(read('kept.json')).toBe('{"earlier":true}');
    expect(existsSync(join(folder, 'new.html'))).toBe(false);
    expect((await run([target.url, '--filter', 'offer.', ...names])).code).toBe(0);
    expect(JSON.parse(read('kept.json'))).toMatchObject({ verdict: 'conformant' });
  });

  it('names a missing folder or another reason why it cannot be written', async () => {
    const fault = async (path: string) => (await run(['http://127.0.0.1:1', '--report', path])).stderr;
    expect(await fault('no/such/report.json')).toBe(
      'conformance: --report no/such/report.json cannot be written: the folder no/such does not exist (ENOENT)\n',
    );
    writeFileSync(join(folder, 'file'), '');
    expect(await fault('file/report.json')).toContain('file is not a folder (ENOTDIR)');
  });

  it('must not be another file of the run', async () => {
    writeFileSync(join(folder, 'known.json'), '[]');
    const args = ['--expected-failures', 'known.json', '--report', './known.json'];
    const { code, stderr } = await run(['http://127.0.0.1:1', ...args]);
    expect(stderr).toContain('--report ./known.json is also the file of --expected-failures');
    expect(code).toBe(2);
    expect(read('known.json')).toBe('[]');
  });

  const key = `0x${'1'.repeat(64)}\n`;
  const paying = ['--profile', 'paid', '--key-file', 'key', '--max-total', '9', '--max-per-request', '9'];

  it.each<[string, readonly string[]]>([
    ['--journal ./key is also the file of --key-file', ['--journal', './key']],
    ['--journal link is also the file of --key-file', ['--journal', 'link']],
    ['--journal twin is also the file of --key-file', ['--journal', 'twin']],
    ['--report link.json is also the file of --key-file', ['--report', 'link.json']],
    ['--journal known.json is also the file of --expected-failures', ['--journal', 'known.json']],
    ['--journal summary is also the file of GITHUB_STEP_SUMMARY', ['--journal', 'summary', '--step-summary']],
    [
      '--report new.json is also the file of --journal',
      ['--report', 'new.json', '--journal', 'folder/new.json'],
    ],
    ['--report new.json is also the file of --journal', ['--report', 'new.json', '--journal', 'dangling']],
    ['--report a.json is also the file of --report', ['--report', 'a.json', '--report', './a.json']],
    ['--report summary.md is also the file of GITHUB_', ['--report', 'summary.md', '--step-summary']],
  ])('rejects: %s', async (words, args) => {
    for (const [name, text] of [
      ['key', key],
      ['known.json', '[]'],
      ['summary', ''],
    ] as const) {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    for (const name of ['link', 'link.json']) symlinkSync('key', join(folder, name));
    linkSync(join(folder, 'key'), join(folder, 'twin'));
    symlinkSync('.', join(folder, 'folder'));
    symlinkSync('new.json', join(folder, 'dangling'));
    symlinkSync('summary', join(folder, 'summary.md'));
    const all = ['http://127.0.0.1:1', ...paying, '--expected-failures', 'known.json', ...args];
    const { code, stdout, stderr } = await run(all, { GITHUB_STEP_SUMMARY: join(folder, 'summary') });
    expect(stderr).toMatch(/^conformance: .*\. Name another file\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect([read('key'), read('known.json'), read('summary')]).toEqual([key, '[]', '']);
  });
});

describe.skipIf(!existsSync('/dev/full'))('an output that cannot be written ends with 4', { timeout }, () => {
  it.each([['--help'], ['--dry-run'], ['--json'], ['--filter']])('in one line, with %s', async (option) => {
    await using target = await startFakeTarget();
    const output = openSync('/dev/full', 'w');
    const args = option === '--filter' ? [option, 'unpaid.402.body'] : [option];
    const { code, stderr } = await runCli(folder, [target.url, ...args, '--rate', '1000'], {}, output);
    closeSync(output);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: 'conformance: the standard output cannot be written: the disk is full (ENOSPC)\n',
    });
  });
});

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      server.close(() => close());
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
