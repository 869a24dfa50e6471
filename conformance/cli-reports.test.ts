import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from './engine/report.ts';
import { isObject } from './independent/body-rules.ts';
import { catalogModel } from './independent/steps.ts';
import { canary, mutants } from './testing/broken.ts';
import { type Change, startFakeTarget } from './testing/fake-target.ts';
import { runMain } from './testing/run-main.ts';
import { readXml } from './testing/xml.ts';

/** Each test starts the real command once or twice, and the machine may be busy. */
const timeout = 90_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-reports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[], environment?: Record<string, string>) =>
  runMain(folder, args, environment);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const amountAsNumber = mutants.find(({ id }) => id === 'amount-as-number')?.change;
/** A gateway that accepts unknown models, which the contract does not clearly forbid. */
const servesAnyModel: Change = ({ bodyFault }) => ({
  bodyFault: (endpoint, body) => {
    if (!isObject(body) || typeof body['model'] !== 'string') return bodyFault(endpoint, body);
    return bodyFault(endpoint, { ...body, model: catalogModel });
  },
});

describe('exit codes that options change', { timeout }, () => {
  it('is 0 for a warning, and 1 with --strict', async () => {
    await using target = await startFakeTarget(servesAnyModel);
    const lenient = await run([target.url, '--filter', 'body.']);
    expect(lenient.stdout).toContain('Conformant in scope, with warnings');
    expect(lenient.code).toBe(0);
    expect((await run([target.url, '--filter', 'body.', '--strict'])).code).toBe(1);
  });

  it('is 3 for an incomplete run, and 0 with --allow-incomplete', async () => {
    await using target = await startFakeTarget(() => ({ readsBodyFirst: false }));
    const { code, stdout } = await run([target.url, '--allow-incomplete']);
    expect(stdout).toContain('INCOMPLETE: ');
    expect(code).toBe(0);
    expect((await run([target.url])).code).toBe(3);
  });

  it('is 1 for a failure, even with --allow-incomplete', async () => {
    await using target = await startFakeTarget(amountAsNumber);
    expect((await run([target.url, '--allow-incomplete'])).code).toBe(1);
  });

  it('is 0 for an expected failure, which the report marks', async () => {
    write('known.yaml', '- id: offer.maxAmountRequired\n  reason: until June\n');
    await using target = await startFakeTarget(amountAsNumber);
    const { code, stdout } = await run([target.url, '--expected-failures', 'known.yaml', '--strict']);
    expect(stdout).toContain('✗ offer.maxAmountRequired');
    expect(stdout).toContain('expected: until June');
    expect(stdout).toMatch(/^NOT conformant: .* · 1 failed \(1 expected\)/m);
    expect(code).toBe(0);
  });

  it('is 3 for an expected failure that leaves checks inconclusive, and names the option for 0', async () => {
    write('known.yaml', '- id: offer.maxAmountRequired\n  reason: amounts are numbers until June\n');
    await using target = await startFakeTarget(amountAsNumber);
    const known = [target.url, '--profile', 'free,signed', '--expected-failures', 'known.yaml'];
    const open = await run(known);
    expect(open.stdout).toMatch(/ · 1 failed \(1 expected\) · .*\d+ inconclusive$/m);
    expect(open.stdout).toContain(
      'Exit code 3: nothing unexpected failed, but some MUST requirements in scope could not be exercised. --allow-incomplete makes it 0.\n',
    );
    expect(open.code).toBe(3);
    const letBe = await run([...known, '--allow-incomplete']);
    expect(letBe.stdout).toMatch(/\nExit code 0: every failure was expected\.\n$/);
    expect(letBe.code).toBe(0);
  });

  it('is 1 for an expected failure that passes now, and names its line', async () => {
    write('known.yaml', '# known\n\n- id: offer.maxAmountRequired\n  reason: until June\n');
    await using target = await startFakeTarget();
    const { code, stdout } = await run([target.url, '--expected-failures', 'known.yaml']);
    expect(stdout).toContain(
      'offer.maxAmountRequired passes now: remove its entry in line 3 from the expected failures',
    );
    expect(stdout).toContain('Conformant in scope');
    expect(code).toBe(1);
    // A requirement that was not judged may still fail.
    const pruned = await run([target.url, '--expected-failures', 'known.yaml', '--filter', 'unpaid.']);
    expect(pruned.code).toBe(0);
  });

  it.each([
    ['an unknown id', '- id: offer.payTo\n  reason: known\n- id: no.such\n  reason: known\n', 'line 3'],
    ['no list', 'offer.payTo\n', 'line 1'],
    ['invalid YAML', '- id: offer.payTo\n  reason: [\n', 'line 3'],
  ])('a list of expected failures with %s ends with 2, before anything is sent', async (_, text, line) => {
    write('known.yaml', text);
    const { code, stdout, stderr } = await run(['http://127.0.0.1:1', '--expected-failures', 'known.yaml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`known.yaml, ${line}: `);
  });

  it.each([
    ['a missing list of expected failures', ['--expected-failures', 'none.yaml'], 'none.yaml'],
    ['a report of an unknown format', ['--report', 'report.pdf'], '.xml (JUnit)'],
    ['a step summary outside CI', ['--step-summary'], 'GITHUB_STEP_SUMMARY'],
    ['a version without a name', ['--implementation-version', '1.0'], '--implementation-name'],
  ])('%s ends with 2', async (_, args, words) => {
    const { code, stdout, stderr } = await run(['http://127.0.0.1:1', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('a missing URL ends with 2 and a line with the command to type', async () => {
    expect(await run([])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'conformance: the base URL of a deployment is missing: paid-inference-conformance http://127.0.0.1:8402 (or --help)\n',
    });
    const { stderr } = await run([], { npm_lifecycle_event: 'conformance' });
    expect(stderr).toContain(': npm run conformance -- http');
  });
});

describe('reports', { timeout }, () => {
  it('are written in all formats in one run, by file name', async () => {
    await using target = await startFakeTarget(canary);
    const names = ['report.json', 'junit.xml', 'report.html', 'summary.md', 'badge.json'];
    const implementation = ['--implementation-name', 'Stand-in', '--implementation-version', '2'];
    const { code, stdout } = await run([
      target.url,
      '--model',
      'any/any',
      ...implementation,
      ...names.flatMap((name) => ['--report', name]),
    ]);
    expect(code).toBe(1);
    const report: Report = JSON.parse(read('report.json'));
    expect(report).toMatchObject({ exitCode: 1, implementation: { name: 'Stand-in', version: '2' } });
    expect(stdout).toContain(`${report.must.verified} of ${report.must.total} MUST verified`);
    for (const name of ['junit.xml', 'report.html']) expect(() => readXml(read(name))).not.toThrow();
    expect(read('summary.md')).toContain('## Conformance of <code>Stand&#45;in 2 at');
    expect(JSON.parse(read('badge.json'))).toMatchObject({ color: 'red' });
  });

  it('that cannot be written end the run before it begins, and leave no other report', async () => {
    const args = ['http://127.0.0.1:1', '--step-summary', '--report', 'report.json'];
    // A folder can be named but not written.
    expect(await run(args, { GITHUB_STEP_SUMMARY: folder })).toEqual({
      code: 2,
      stdout: '',
      stderr: `conformance: ${folder} cannot be written: the path is a folder (EISDIR)\n`,
    });
    expect(existsSync(join(folder, 'report.json'))).toBe(false);
  });

  it('append the summary to the file of a CI step', async () => {
    write('step.md', 'An earlier step.\n');
    await using target = await startFakeTarget();
    const environment = { GITHUB_STEP_SUMMARY: join(folder, 'step.md') };
    expect((await run([target.url, '--step-summary', '--filter', 'offer.'], environment)).code).toBe(0);
    expect(read('step.md')).toMatch(/^An earlier step\.\n## Conformance of /);
    await run([target.url, '--filter', 'offer.'], environment);
    expect(read('step.md').match(/## Conformance/g)).toHaveLength(1);
  });

  it('show filtered checks as disabled, and no request was sent for them', async () => {
    await using target = await startFakeTarget();
    await run([target.url, '--filter', 'offer.scheme', '--report', 'report.json']);
    const { results, counts, exchanges }: Report = JSON.parse(read('report.json'));
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['pass', 'disabled']));
    expect(counts.disabled).toBe(results.length - counts.pass);
    expect(exchanges.length).toBeLessThan(6);
  });

  it('are not written by a dry run', async () => {
    expect((await run(['http://127.0.0.1:1', '--dry-run', '--report', 'report.json'])).code).toBe(0);
    expect(existsSync(join(folder, 'report.json'))).toBe(false);
  });
});

describe('the progress of a run', { timeout }, () => {
  it('is a line for each section on standard error in CI', async () => {
    await using target = await startFakeTarget();
    const { code, stdout, stderr } = await run([target.url, '--filter', 'offer.', '--json'], { CI: 'true' });
    expect(code).toBe(0);
    expect(() => JSON.parse(stdout)).not.toThrow();
    expect(stderr).toMatch(/^2\.8 Payment requirements: \d+ pass(, \d+ observed)?$/m);
    for (const line of stderr.trim().split('\n')) expect(line).toMatch(/^\d[\d.]* .+: \d+ \w/);
  });

  it('is not printed elsewhere', async () => {
    await using target = await startFakeTarget();
    expect((await run([target.url, '--filter', 'offer.'])).stderr).toBe('');
  });
});

describe('a missing key', { timeout }, () => {
  it('leads to advice about the devnet key for a local target', async () => {
    const caps = ['--profile', 'paid', '--max-total', '1', '--max-per-request', '1'];
    const { code, stderr } = await run(['http://127.0.0.1:1', ...caps]);
    expect(code).toBe(2);
    expect(stderr).toContain('.data/devnet/payer.key in the folder where it runs');
    expect((await run(['https://gateway.example', ...caps])).stderr).not.toContain('devnet');
  });

  it('leads to a hint under a free run against a local target', async () => {
    await using target = await startFakeTarget();
    const hint = 'Only the profile free was tested. For more, use --profile all';
    expect((await run([target.url])).stdout).toContain(hint);
    expect((await run([target.url, '--profile', 'free'])).stdout).not.toContain(hint);
  });
});
