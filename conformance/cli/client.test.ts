import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import schema from '../clients/report.schema.json' with { type: 'json' };
import type { ClientReport } from '../clients/report.ts';
import { findSchemaFaults } from '../testing/report-schema.ts';
import { cli, type Ended, plainEnvironment, runCli } from '../testing/run-cli.ts';

const program = fileURLToPath(new URL('../clients/mutants/program.ts', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-client-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Judges a command as a process. */
function judge(options: readonly string[], command: readonly string[]): Promise<Ended> {
  return runCli(folder, ['client', ...options, '--', ...command], {
    CONFORMANCE_KEY: `0x${'11'.repeat(32)}`,
  });
}

const minimal = [process.execPath, program];
const shell = (script: string) => ['sh', '-c', script];

describe('client -- <command>', { timeout: 120_000 }, () => {
  it('exits with 0 for the minimal client, and writes the reports', async () => {
    const files = ['a.json', 'a.xml', 'a.html', 'a.md'];
    const reports = files.flatMap((file) => ['--report', file]);
    const { code, stdout, stderr } = await judge(['--filter', 'once.reset', ...reports], minimal);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Conformant in scope: 1 of 1 MUST verified');
    expect(stdout).toMatch(/^ {2}reset +1 +1 +1 +0$/m);
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8').length).toBeGreaterThan(300);
    const report: ClientReport = JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'));
    expect(report.scenarios.map(({ id }) => id)).toEqual(['plain', 'reset']);
    expect(findSchemaFaults(schema, readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual([]);
    // Both purchases, and the chain agrees.
    expect(report.spentUnits).toBe('5000');
  });

  it('exits with 1 for a client that pays twice, and shows its requests', async () => {
    const { code, stdout } = await judge(['--filter', 'once.reset'], [...minimal, 'signs-after-break']);
    expect(code).toBe(1);
    expect(stdout).toContain('fail: expected one payment; got payments: 2, completions: 1');
    expect(stdout).toMatch(
      /POST \/v1\/chat\/completions with 2500 units to 0x\w+, .* → reset, after the settlement/,
    );
    expect(stdout).toContain('Exit code 1: a MUST failed.');
  });

  it('exits with 3 for a command that buys nothing, and prints neither its key nor its text as commands', async () => {
    const script = 'cat "$CONFORMANCE_KEY_FILE" >&2; echo "::error::x $CONFORMANCE_KEY" >&2; exit 1';
    const { code, stdout } = await judge(['--filter', 'buys.plain', '--json'], shell(script));
    expect(code).toBe(3);
    const { results, scenarios }: ClientReport = JSON.parse(stdout);
    expect(findSchemaFaults(schema, stdout)).toEqual([]);
    expect(results.find(({ id }) => id === 'buys.plain')).toMatchObject({
      outcome: 'inconclusive',
      detail: 'the command sent no request for a completion',
    });
    expect(scenarios[0]?.output).toBe('<key>\n::error::x \n');
    expect(scenarios[0]?.exitCodes).toEqual([1]);
  });

  it('hides a private key in the command and in its output (D-425)', async () => {
    const key = `0x${'5e'.repeat(32)}`;
    const { stdout } = await judge(
      ['--filter', 'buys.plain', '--json'],
      shell(`echo ${key.slice(2)} ${key} >&2`),
    );
    const { command, scenarios }: ClientReport = JSON.parse(stdout);
    expect(command.at(-1)).toBe('echo <secret> <secret> >&2');
    expect(scenarios[0]?.output).toBe('<secret> <secret>\n');
  });

  it('ends a command and its children at the deadline', async () => {
    // The sleep has the pipe of standard error, so the run would wait for it.
    const script = 'sleep 600 & wait';
    const options = ['--deadline-seconds', '1', '--filter', 'buys.plain', '--json'];
    const { code, stdout } = await judge(options, shell(script));
    const { scenarios }: ClientReport = JSON.parse(stdout);
    expect(findSchemaFaults(schema, stdout)).toEqual([]);
    expect({ code, isOverdue: scenarios[0]?.isOverdue }).toEqual({ code: 3, isOverdue: true });
  });

  it('ends with a report and 130 at Ctrl-C', async () => {
    const args = ['client', '--report', 'a.json', '--', ...shell('echo started > started; sleep 60')];
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: folder,
      env: plainEnvironment,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const report: ClientReport = JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'));
    expect(report).toMatchObject({ isInterrupted: true, exitCode: 130, scenarios: [] });
    expect(findSchemaFaults(schema, JSON.stringify(report))).toEqual([]);
  });

  it.each([
    ['no command', [], [], "missing required argument 'command'"],
    ['an empty command', [], [''], 'the command is empty. Name a program after --'],
    ['an unknown option', ['--profile', 'free'], minimal, "unknown option '--profile'"],
    [
      'a deadline of zero',
      ['--deadline-seconds', '0'],
      minimal,
      'must be whole numbers of seconds from 1 to 600',
    ],
    [
      'a filter without requirements',
      ['--filter', 'buys', '--filter', 'nope'],
      minimal,
      'no requirement id starts with "nope". Correct --filter\n',
    ],
    ['an unknown format', ['--report', 'a.txt'], minimal, '--report a.txt has no known format'],
    [
      'a missing program',
      [],
      ['./missing-program'],
      'the command cannot start: spawn ./missing-program ENOENT',
    ],
  ])('exits with 2 for %s', async (_, options, command, message) => {
    const { code, stdout, stderr } = await judge(options, command);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^conformance: /);
    expect(stderr).toContain(message);
  });

  it('describes the variables with --help', async () => {
    const { code, stdout } = await runCli(folder, ['client', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('CONFORMANCE_KEY_FILE   file of mode 600');
  });
});
