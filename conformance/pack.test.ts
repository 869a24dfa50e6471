import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeTarget } from './testing/fake-target.ts';
import { plainEnvironment } from './testing/run-cli.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const name = '@paid-inference/conformance';
let folder: string;
let installed: string;

/** Packs and unpacks like an installation. Dependencies are linked, so the test needs no network. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-pack-'));
  // The test of all packages checks the types of the same sources.
  execFileSync(process.execPath, [join(root, '.config/pack.ts'), '--into', folder, '--unchecked'], {
    // Without the npm settings of the test run and of the user.
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  installed = join(folder, 'project/node_modules', name);
  mkdirSync(installed, { recursive: true });
  const [tarball = ''] = globSync('paid-inference-conformance-*.tgz', { cwd: folder });
  execFileSync('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', installed]);
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  for (const dependency of [...Object.keys(dependencies), 'vitest']) {
    if (dependency.startsWith('@paid-inference/')) continue;
    const link = join(folder, 'project/node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), link);
  }
  writeFileSync(join(folder, 'project/package.json'), '{"private":true,"type":"module"}\n');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runNode(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, {
    cwd: join(folder, 'project'),
    env: plainEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

describe('the packed suite', { timeout: 120_000 }, () => {
  it('contains no TypeScript source, no test and nothing of the reference gateway', () => {
    const files = globSync('**/*', { cwd: installed }).map((path) => path.replaceAll('\\', '/'));
    expect(files).toContain('report/report.schema.json');
    expect(files).toContain('README.md');
    expect(files).toContain('COVERAGE.md');
    expect(files).toContain('CLIENTS.md');
    const links = readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\(([^)#:\s]+)\)/g);
    const paths = [...links].map(([, path]) => path);
    expect(paths).toContain('COVERAGE.md');
    expect(paths.filter((path) => !files.includes(path ?? ''))).toEqual([]);
    expect(files.filter((path) => /(?<!\.d)\.ts$|\.test\.|^testing\/|^mutants\//.test(path))).toEqual([]);
    const packages = globSync('node_modules/*/*/package.json', { cwd: installed });
    expect(packages).toEqual([join('node_modules/@paid-inference/contract/package.json')]);
  });

  it('prints the help and judges a target', async () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const command = join(installed, bin['paid-inference-conformance']);
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await runNode([command, '--help'])).toMatchObject({ code: 0, stderr: '' });
    await using target = await startFakeTarget();
    const judged = await runNode([command, target.url, '--report', 'report.html']);
    expect(judged).toMatchObject({ code: 0, stderr: '' });
    expect(judged.stdout).toContain('Conformant in scope: v1 · profiles free');
  });

  it('has the command for clients, which needs the optional dependency', async () => {
    const command = join(installed, 'cli.js');
    expect(await runNode([command, 'client', '--help'])).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await runNode([command, 'client', '--', process.execPath, '--version']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^conformance: the devnet cannot start: @foundry-rs\/anvil-\S+ is not installed/);
  });

  it('exports its entry points', async () => {
    const source = `
      import { judge, exitCodes } from '${name}';
      import schema from '${name}/report.schema.json' with { type: 'json' };
      import ofClients from '${name}/client-report.schema.json' with { type: 'json' };
      const schemas = [schema, ofClients].map(({ properties }) => properties.schemaVersion.const);
      console.log(typeof judge, exitCodes.incomplete, ...schemas);
    `;
    const { stdout, stderr } = await runNode(['--input-type=module', '--eval', source]);
    expect({ stdout, stderr }).toEqual({ stdout: 'function 3 1 1\n', stderr: '' });
  });

  it('runs in vitest', async () => {
    await using target = await startFakeTarget();
    const source = `import { conformanceSuite } from '${name}/vitest';\nconformanceSuite('${target.url}');\n`;
    writeFileSync(join(folder, 'project/gateway.test.ts'), source);
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { code } = await runNode([
      vitest,
      'run',
      '--root',
      join(folder, 'project'),
      '--reporter=json',
      '--outputFile=results.json',
    ]);
    expect(code).toBe(0);
    const results: unknown = JSON.parse(readFileSync(join(folder, 'project/results.json'), 'utf8'));
    expect(results).toMatchObject({ success: true });
  });
});

it('refuses to be packed from its sources, which Node would not run', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'conformance/package.json'), 'utf8'));
  expect(() => execFileSync('sh', ['-c', scripts.prepack], { stdio: 'pipe' })).toThrow('npm run pack');
});
