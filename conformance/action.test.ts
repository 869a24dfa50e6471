import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mutants } from './testing/broken.ts';
import { startFakeTarget } from './testing/fake-target.ts';
import { plainEnvironment } from './testing/run-cli.ts';

const script = fileURLToPath(new URL('./action.sh', import.meta.url));
const text = readFileSync(new URL('./action.yml', import.meta.url), 'utf8');
const action: {
  readonly inputs: Readonly<Record<string, object>>;
  readonly runs: {
    readonly steps: readonly { readonly run?: string; readonly env?: Record<string, string> }[];
  };
} = parse(text);
/** Each test starts the real command once or twice, and the machine may be busy. */
const timeout = 90_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-action-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the judging step with inputs as the CI platform passes them. */
async function runStep(inputs: Readonly<Record<string, string>>, environment: Record<string, string> = {}) {
  for (const name of ['output', 'summary']) writeFileSync(join(folder, name), '');
  const child = spawn(script, [], {
    cwd: folder,
    env: {
      ...plainEnvironment,
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      ...environment,
      ...Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [
          `INPUT_${name.toUpperCase().replaceAll('-', '_')}`,
          value,
        ]),
      ),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += String(chunk);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, printed, output: readFileSync(join(folder, 'output'), 'utf8') };
}

describe('the action', { timeout }, () => {
  it('disables CI commands while the suite prints, for a good and a bad URL', async () => {
    await using target = await startFakeTarget();
    const tokens = new Set<string | undefined>();
    for (const url of [target.url, 'gateway']) {
      const { printed } = await runStep({ url, filter: 'offer.' });
      const lines = printed.trim().split('\n');
      const [, token] = /^::stop-commands::([0-9a-f-]{36})$/.exec(lines[0] ?? '') ?? [];
      expect(lines.indexOf(`::${token}::`)).toBe(lines.length - 1);
      expect(lines.length).toBeGreaterThan(2);
      tokens.add(token);
    }
    // The token is new in every run.
    expect(tokens.size).toBe(2);
  });

  it('passes every input through the environment and writes none into a script', () => {
    const given = Object.assign({}, ...action.runs.steps.map(({ env = {} }) => env));
    for (const name of Object.keys(action.inputs)) {
      expect(given[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`]).toBe(`\${{ inputs.${name} }}`);
      expect(readFileSync(script, 'utf8')).toContain(`INPUT_${name.toUpperCase().replaceAll('-', '_')}`);
    }
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{');
  });

  it('has no input for a key', () => {
    expect(Object.keys(action.inputs).filter((name) => /key|secret|token/.test(name))).toEqual([]);
  });

  it('passes for a conformant target and writes all reports and a summary', async () => {
    await using target = await startFakeTarget();
    const { code, output } = await runStep({ url: target.url, 'report-folder': 'out put' });
    expect({ code, output }).toEqual({ code: 0, output: 'exit-code=0\n' });
    const names = ['badge.json', 'junit.xml', 'report.html', 'report.json', 'summary.md'];
    expect(readdirSync(join(folder, 'out put')).sort()).toEqual(names);
    expect(readFileSync(join(folder, 'summary'), 'utf8')).toContain('## Conformance of');
  });

  it('fails for a non-conformant target and passes if the failure is expected', async () => {
    const mutant = mutants.find(({ id }) => id === 'amount-as-number');
    await using target = await startFakeTarget(mutant?.change);
    const inputs = { url: target.url, filter: 'offer.' };
    expect(await runStep(inputs)).toMatchObject({ code: 1, output: 'exit-code=1\n' });
    writeFileSync(join(folder, 'known.yaml'), '- id: offer.maxAmountRequired\n  reason: known\n');
    expect((await runStep({ ...inputs, 'expected-failures': 'known.yaml', strict: 'true' })).code).toBe(0);
  });

  it('pays with the key from the environment and does not print the key', async () => {
    await using target = await startFakeTarget();
    const inputs = { url: target.url, profile: 'paid', 'max-per-request': '2000', 'max-total': '100000' };
    const { code, printed } = await runStep(inputs, { CONFORMANCE_KEY: target.payerKey });
    expect(code).toBe(0);
    expect(printed).toContain('profiles paid');
    expect(printed).not.toContain(target.payerKey.slice(2));
  });

  it('reads `strict` in any case, and refuses another value with 2', async () => {
    await using target = await startFakeTarget();
    const { code, output, printed } = await runStep({ url: target.url, strict: 'yes' });
    expect({ code, output }).toEqual({ code: 2, output: 'exit-code=2\n' });
    expect(printed).toContain('The input strict is neither true nor false');
    expect((await runStep({ url: target.url, filter: 'offer.', strict: 'TRUE' })).code).toBe(0);
  });

  it('runs `limits` only with `own-target`', async () => {
    await using target = await startFakeTarget();
    const inputs = { url: target.url, profile: 'free,limits', filter: 'offer.' };
    expect((await runStep(inputs)).printed).toContain('--i-own-this-target');
    expect((await runStep({ ...inputs, 'own-target': 'True' })).code).toBe(0);
  });

  it.each([
    ['/proc/x', 2],
    ['-x', 0],
  ])('writes the exit code for the report folder %s', async (reportFolder, expected) => {
    await using target = await startFakeTarget();
    const inputs = { url: target.url, filter: 'offer.', 'report-folder': reportFolder };
    const { code, output } = await runStep(inputs);
    expect({ code, output }).toEqual({ code: expected, output: `exit-code=${expected}\n` });
  });

  it.each([['--help'], ["'; touch reached; '"], ['$(touch reached)']])(
    'rejects %s as an invalid URL',
    async (url) => {
      expect((await runStep({ url })).code).toBe(2);
      expect(readdirSync(folder)).not.toContain('reached');
    },
  );
});
