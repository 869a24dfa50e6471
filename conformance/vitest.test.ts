import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byRequirement } from './report/by-requirement.ts';
import { mutants } from './testing/broken.ts';
import { startFakeTarget } from './testing/fake-target.ts';
import { judged } from './testing/judged.ts';

const adapter = new URL('./vitest.ts', import.meta.url).href;
const vitest = fileURLToPath(new URL('../vitest.mjs', import.meta.resolve('vitest')));
const timeout = 120_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-vitest-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Case = {
  readonly title: string;
  readonly ancestorTitles: readonly string[];
  readonly status: string;
  readonly failureMessages: readonly string[];
};
type Ended = {
  readonly code: number | null;
  readonly success: boolean;
  readonly cases: ReadonlyMap<string, Case>;
};

/** Runs vitest in a separate project with one file that calls the suite with these arguments. */
function runProject(args: string, ...flags: readonly string[]): Promise<Ended> {
  const source = `import { conformanceSuite } from ${JSON.stringify(adapter)};\nconformanceSuite(${args});\n`;
  return runSource(source, flags);
}

async function runSource(source: string, flags: readonly string[] = []): Promise<Ended> {
  writeFileSync(join(folder, 'gateway.test.ts'), source);
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--root', folder, '--reporter=json', '--outputFile=results.json', ...flags],
    { cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const written: { success: boolean; testResults: { assertionResults: Case[] }[] } = JSON.parse(
    readOr(join(folder, 'results.json'), stderr),
  );
  const cases = written.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { code, success: written.success, cases: new Map(cases.map((each) => [each.title, each])) };
}

function readOr(path: string, complaint: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(complaint);
  }
}

const idsWith = ({ cases }: Ended, status: string) =>
  [...cases.values()].filter((each) => each.status === status).map(({ title }) => title);
const ids = Object.keys(requirements) as RequirementId[];

describe("the suite in another project's vitest", { timeout }, () => {
  it('has a test for each requirement, by section, and passes for a conformant target', async () => {
    await using target = await startFakeTarget();
    const ended = await runProject(JSON.stringify(target.url));
    expect(ended).toMatchObject({ code: 0, success: true });
    expect(ended.cases.size).toBe(ids.length + 1);
    expect(ended.cases.get('offer.payTo')).toMatchObject({
      status: 'passed',
      ancestorTitles: ['conformance', '2.8 Payment requirements'],
    });
    const rows = byRequirement(await judged(target, { profiles: ['free'] }));
    const passed = rows.filter(({ outcome }) => outcome === 'pass' || outcome === 'observed');
    expect(idsWith(ended, 'passed').sort()).toEqual(
      [...passed.map(({ requirement }) => requirement), 'the target answers, and a MUST is verified'].sort(),
    );
    expect(ended.cases.get('receipt.payer')?.status).toBe('skipped');
  });

  it('fails only the broken requirements, with the evidence', async () => {
    const mutant = mutants.find(({ id }) => id === 'amount-as-number');
    await using target = await startFakeTarget(mutant?.change);
    const ended = await runProject(`async () => ${JSON.stringify(target.url)}, { filter: 'offer.' }`);
    expect(ended).toMatchObject({ code: 1, success: false });
    expect(idsWith(ended, 'failed')).toEqual(['offer.maxAmountRequired']);
    const [message] = ended.cases.get('offer.maxAmountRequired')?.failureMessages ?? [];
    expect(message).toContain('contract 2.8: ');
    expect(message).toContain(`curl -i -X POST '${target.url}/v1/`);
  });

  it('skips expected failures and fails stale ones', async () => {
    const mutant = mutants.find(({ id }) => id === 'amount-as-number');
    await using target = await startFakeTarget(mutant?.change);
    const entry = (requirement: string) => ({ requirement, reason: 'known' });
    const options = (...names: string[]) =>
      JSON.stringify({ filter: 'offer.', expectedFailures: names.map(entry) });
    const expected = await runProject(`'${target.url}', ${options('offer.maxAmountRequired')}`);
    expect(expected).toMatchObject({ code: 0, success: true });
    expect(expected.cases.get('offer.maxAmountRequired')?.status).toBe('skipped');
    const stale = await runProject(`'${target.url}', ${options('offer.maxAmountRequired', 'offer.payTo')}`);
    expect(stale.code).toBe(1);
    expect(idsWith(stale, 'failed')).toEqual(['offer.payTo']);
  });

  it('fails inconclusive requirements, or skips them on request', async () => {
    await using target = await startFakeTarget(() => ({ readsBodyFirst: false }));
    const failing = await runProject(`'${target.url}'`);
    expect(failing.code).toBe(1);
    const open = idsWith(failing, 'failed');
    expect(open).toContain('body.chat.model.required');
    const skipping = await runProject(`'${target.url}', { inconclusive: 'skip' }`);
    expect(skipping.code).toBe(0);
    for (const id of open) expect(skipping.cases.get(id)?.status).toBe('skipped');
  });

  it('runs the first example of the README', async () => {
    await using target = await startFakeTarget();
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const example = readme.match(/```ts\n(\/\/ gateway\.test\.ts[^`]*)```/)?.[1] ?? '';
    const source = example
      .replace('@paid-inference/conformance/vitest', adapter)
      .replace("'signed'] }", "'signed'], filter: 'offer.' }")
      .replace('startMyGateway()', JSON.stringify(target.url));
    const ended = await runSource(source);
    expect(ended).toMatchObject({ code: 0, success: true });
    expect(ended.cases.get('offer.payTo')?.status).toBe('passed');
  });

  it('pays with the example of the README', async () => {
    await using target = await startFakeTarget();
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const example = readme.match(/```ts\n([^`]*readKeyFile[^`]*)```/)?.[1] ?? '';
    const source = example
      .replace('@paid-inference/conformance/vitest', adapter)
      .replace('@paid-inference/conformance', new URL('./index.ts', import.meta.url).href)
      .replace('funded });', "funded, filter: 'receipt.' });")
      .replace('startMyGateway()', JSON.stringify(target.url));
    writeFileSync(join(folder, 'payer.key'), target.payerKey, { mode: 0o600 });
    const relative = ['payer.key', 'conformance-spend.jsonl'];
    const ended = await runSource(
      relative.reduce((text, path) => text.replace(`'${path}'`, JSON.stringify(join(folder, path))), source),
    );
    expect(ended).toMatchObject({ code: 0, success: true });
    expect(ended.cases.get('receipt.payer')?.status).toBe('passed');
  });

  it('fails one test with the usage fault, and judges nothing', async () => {
    const funded = `{ privateKey: '0x${'33'.repeat(32)}', caps: { perRequest: 1n, total: 1n } }`;
    const options = `{ profiles: ['paid'], inconclusive: 'skip', funded: ${funded} }`;
    const ended = await runProject(`'http://127.0.0.1:1', ${options}`, '--retry=1');
    expect(ended).toMatchObject({ code: 1, success: false });
    expect(idsWith(ended, 'passed')).toEqual([]);
    const [failed, ...others] = [...ended.cases.values()].filter(({ status }) => status === 'failed');
    expect(others).toEqual([]);
    expect(failed?.failureMessages[0]).toContain('funded.caps has an unknown member');
  });

  it('never passes when nothing was verified', async () => {
    const unreached = await runProject(`'http://127.0.0.1:1', { inconclusive: 'skip' }`);
    expect(unreached.code).toBe(1);
    expect(idsWith(unreached, 'failed')).toEqual(['the target answers, and a MUST is verified']);
    expect(idsWith(unreached, 'passed')).toEqual([]);
    // No requirement id matches, so the run does not begin.
    const mistaken = await runProject(`'http://127.0.0.1:1', { filter: 'zzz' }`);
    expect(mistaken).toMatchObject({ code: 1, success: false });
    expect(idsWith(mistaken, 'passed')).toEqual([]);
  });
});
