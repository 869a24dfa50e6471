import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byRequirement } from './report/by-requirement.ts';
import { mutants } from './testing/broken.ts';
import { type Change, type FakeTarget, startFakeTarget } from './testing/fake-target.ts';
import { judged } from './testing/judged.ts';
import { plainEnvironment } from './testing/run-cli.ts';

const adapter = new URL('./vitest.ts', import.meta.url).href;
const vitest = fileURLToPath(new URL('../vitest.mjs', import.meta.resolve('vitest')));
const timeout = 120_000;
const deadUrl = 'http://127.0.0.1:1';
let folder: string;
const opened = new AsyncDisposableStack();

type Case = {
  readonly title: string;
  readonly ancestorTitles: readonly string[];
  readonly status: string;
  readonly failureMessages: readonly string[];
};
/** The result of one test file. */
type Ended = { readonly status: string; readonly cases: ReadonlyMap<string, Case> };
type AllEnded = {
  readonly code: number | null;
  readonly success: boolean;
  readonly files: Map<string, Ended>;
};

/** A test file that calls the suite with these arguments. */
function suiteWith(args: string): string {
  return `import { conformanceSuite } from ${JSON.stringify(adapter)};\nconformanceSuite(${args});\n`;
}

/** Runs vitest once in a separate project with these test files. */
async function runProject(
  sources: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<AllEnded> {
  const root = mkdtempSync(join(folder, 'project-'));
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(root, `${name}.test.ts`), source);
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--root', root, '--reporter=json', '--outputFile=results.json', ...flags],
    { cwd: root, env: plainEnvironment, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const written: {
    success: boolean;
    testResults: { name: string; status: string; assertionResults: Case[] }[];
  } = JSON.parse(readOr(join(root, 'results.json'), stderr));
  const files = written.testResults.map(({ name, status, assertionResults }) => {
    const cases = new Map(assertionResults.map((each) => [each.title, each]));
    return [basename(name, '.test.ts'), { status, cases }] as const;
  });
  return { code, success: written.success, files: new Map(files) };
}

function readOr(path: string, complaint: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(complaint);
  }
}

/** The files of one project share a worker, so that it imports the suite once. */
const shared = ['--no-isolate', '--maxWorkers=1'] as const;

async function open(change?: Change): Promise<FakeTarget> {
  return opened.use(await startFakeTarget(change));
}

const expecting = (url: string, ...names: string[]) => {
  const expectedFailures = names.map((requirement) => ({ requirement, reason: 'known' }));
  return suiteWith(`'${url}', ${JSON.stringify({ filter: 'offer.', expectedFailures })}`);
};

const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

function firstExample(url: string): string {
  const example = readme.match(/```ts\n(\/\/ gateway\.test\.ts[^`]*)```/)?.[1] ?? '';
  return example
    .replace('@paid-inference/conformance/vitest', adapter)
    .replace("'signed'] }", "'signed'], filter: 'offer.' }")
    .replace('startMyGateway()', JSON.stringify(url));
}

function payingExample({ url, payerKey }: FakeTarget): string {
  const example = readme.match(/```ts\n([^`]*readKeyFile[^`]*)```/)?.[1] ?? '';
  const source = example
    .replace('@paid-inference/conformance/vitest', adapter)
    .replace('@paid-inference/conformance', new URL('./index.ts', import.meta.url).href)
    .replace('funded });', "funded, filter: 'receipt.' });")
    .replace('startMyGateway()', JSON.stringify(url));
  writeFileSync(join(folder, 'payer.key'), payerKey, { mode: 0o600 });
  const relative = ['payer.key', 'conformance-spend.jsonl'];
  return relative.reduce(
    (text, path) => text.replace(`'${path}'`, JSON.stringify(join(folder, path))),
    source,
  );
}

let sound: FakeTarget;
let broken: FakeTarget;
let passing: AllEnded;
let failing: AllEnded;

/** Runs the files whose tests pass in one vitest, and those with a failure in another. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-vitest-'));
  sound = await open();
  broken = await open(mutants.find(({ id }) => id === 'amount-as-number')?.change);
  const undecided = await open(() => ({ readsBodyFirst: false }));
  passing = await runProject(
    {
      expected: expecting(broken.url, 'offer.maxAmountRequired'),
      skipping: suiteWith(`'${undecided.url}', { inconclusive: 'skip' }`),
      example: firstExample(sound.url),
      paying: payingExample(sound),
    },
    shared,
  );
  const funded = `{ privateKey: '0x${'33'.repeat(32)}', caps: { perRequest: 1n, total: 1n } }`;
  failing = await runProject(
    {
      broken: suiteWith(`async () => ${JSON.stringify(broken.url)}, { filter: 'offer.' }`),
      stale: expecting(broken.url, 'offer.maxAmountRequired', 'offer.payTo'),
      inconclusive: suiteWith(`'${undecided.url}'`),
      usage: suiteWith(`'${deadUrl}', { profiles: ['paid'], inconclusive: 'skip', funded: ${funded} }`),
      unknown: expecting(broken.url, 'offer.maxAmountRequired', 'offer.unknown'),
      unreached: suiteWith(`'${deadUrl}', { inconclusive: 'skip' }`),
      // No requirement id matches, so the run does not begin.
      mistaken: suiteWith(`'${deadUrl}', { filter: 'zzz' }`),
    },
    // A retry must not turn a failure into a pass, or into a second one.
    [...shared, '--retry=1'],
  );
}, timeout);
afterAll(async () => {
  await opened.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

/** The result of one file. vitest passes or fails the project by the results of its files. */
function readFile({ files }: AllEnded, name: string): Ended {
  const ended = files.get(name);
  if (!ended) throw new Error(`vitest did not run ${name}.test.ts`);
  return ended;
}

const idsWith = ({ cases }: Ended, status: string) =>
  [...cases.values()].filter((each) => each.status === status).map(({ title }) => title);
const ids = Object.keys(requirements) as RequirementId[];

describe("the suite in another project's vitest", { timeout }, () => {
  it('passes a project when each of its files passes, and fails it otherwise', () => {
    expect(passing).toMatchObject({ code: 0, success: true });
    expect([...passing.files.values()].map(({ status }) => status)).toEqual(Array(4).fill('passed'));
    expect(failing).toMatchObject({ code: 1, success: false });
    expect([...failing.files.values()].map(({ status }) => status)).toEqual(Array(7).fill('failed'));
  });

  it('has a test for each requirement, by section, and passes for a conformant target', async () => {
    const project = await runProject({ gateway: suiteWith(JSON.stringify(sound.url)) });
    expect(project).toMatchObject({ code: 0, success: true });
    const ended = readFile(project, 'gateway');
    expect(ended.cases.size).toBe(ids.length + 1);
    expect(ended.cases.get('offer.payTo')).toMatchObject({
      status: 'passed',
      ancestorTitles: ['conformance', '2.8 Payment requirements'],
    });
    const rows = byRequirement(await judged(sound, { profiles: ['free'] }));
    const passed = rows.filter(({ outcome }) => outcome === 'pass' || outcome === 'observed');
    expect(idsWith(ended, 'passed').sort()).toEqual(
      [...passed.map(({ requirement }) => requirement), 'the target answers, and a MUST is verified'].sort(),
    );
    expect(ended.cases.get('receipt.payer')?.status).toBe('skipped');
  });

  it('fails only the broken requirements, with the evidence', () => {
    const ended = readFile(failing, 'broken');
    expect(idsWith(ended, 'failed')).toEqual(['offer.maxAmountRequired']);
    const [message] = ended.cases.get('offer.maxAmountRequired')?.failureMessages ?? [];
    expect(message).toContain('contract 2.8: ');
    expect(message).toContain(`curl -i -X POST '${broken.url}/v1/`);
  });

  it('skips expected failures', () => {
    const expected = readFile(passing, 'expected');
    expect(expected.status).toBe('passed');
    expect(expected.cases.get('offer.maxAmountRequired')?.status).toBe('skipped');
  });

  it('fails stale expected failures', () => {
    expect(idsWith(readFile(failing, 'stale'), 'failed')).toEqual(['offer.payTo']);
  });

  it('fails inconclusive requirements, or skips them on request', () => {
    const open = idsWith(readFile(failing, 'inconclusive'), 'failed');
    expect(open).toContain('body.chat.model.required');
    const skipping = readFile(passing, 'skipping');
    expect(skipping.status).toBe('passed');
    for (const id of open) expect(skipping.cases.get(id)?.status).toBe('skipped');
  });

  it('runs the first example of the README', () => {
    const ended = readFile(passing, 'example');
    expect(ended.status).toBe('passed');
    expect(ended.cases.get('offer.payTo')?.status).toBe('passed');
  });

  it('pays with the example of the README', () => {
    const ended = readFile(passing, 'paying');
    expect(ended.status).toBe('passed');
    expect(ended.cases.get('receipt.payer')?.status).toBe('passed');
  });

  it.each([
    ['usage', 'funded.caps has an unknown member'],
    ['unknown', 'expectedFailures has the unknown requirement offer.unknown'],
  ])('fails one test with the fault of %s, also after a retry, and judges nothing', (name, fault) => {
    const ended = readFile(failing, name);
    expect(idsWith(ended, 'passed')).toEqual([]);
    const [failed, ...others] = [...ended.cases.values()].filter(({ status }) => status === 'failed');
    expect(others).toEqual([]);
    expect(failed?.failureMessages[0]).toContain(fault);
  });

  it('never passes when nothing was verified', () => {
    const unreached = readFile(failing, 'unreached');
    expect(idsWith(unreached, 'failed')).toEqual(['the target answers, and a MUST is verified']);
    expect(idsWith(unreached, 'passed')).toEqual([]);
    const mistaken = readFile(failing, 'mistaken');
    expect(mistaken.status).toBe('failed');
    expect(idsWith(mistaken, 'passed')).toEqual([]);
  });
});
