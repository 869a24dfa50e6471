import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

const read = (...args: string[]) => readArguments({}, args);
const readManifest = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const manifest = readManifest('../package.json');

it('npm start passes --env-file to the gateway, because Node would read it as its own option', () => {
  expect(readManifest('../../package.json').scripts.start).toMatch(/ node (--[\w=-]+ )*-- server/);
});

it('npm start limits the memory of short-lived objects, and of freed memory that threads keep (D-255)', () => {
  const { start } = readManifest('../../package.json').scripts;
  expect(start).toContain(' --max-semi-space-size=8 ');
  expect(start).toMatch(/^MALLOC_ARENA_MAX=1 /);
});

it.each([
  ['keeps new objects out of the old space (D-256)', '--no-allocation-site-pretenuring'],
  ['collects the old space when it has doubled (D-360)', '--heap-growing-percent=100'],
])('the gateway %s', (_effect, option) => {
  const main = readFileSync(new URL('../main.ts', import.meta.url), 'utf8');
  expect(main).toContain(`setFlagsFromString('${option}')`);
});

describe('The arguments of the gateway', () => {
  it('run it by default', () => {
    expect(read()).toEqual({ kind: 'run', config: null, envFile: null, json: false });
    expect(read('--config', 'a.yaml', '--env-file', 'b.env', '--json')).toEqual({
      kind: 'run',
      config: 'a.yaml',
      envFile: 'b.env',
      json: true,
    });
  });

  it.each(['check-config', 'print-config'])('accept --%s, with and without --json', (kind) => {
    expect(read(`--${kind}`)).toMatchObject({ kind, json: false });
    expect(read(`--${kind}`, '--json', '--config', 'a.yaml')).toMatchObject({
      kind,
      json: true,
      config: 'a.yaml',
    });
  });

  it('accept --version, which prints the name of the command and the version of package.json', () => {
    expect(read('--version')).toEqual({ kind: 'text', text: `paid-inference-gateway ${manifest.version}` });
  });

  it('accept --help, which lists every option and LOG_FORMAT', () => {
    const help = read('--help', '--version');
    for (const name of ['config', 'env-file', 'json', 'check-config', 'print-config', 'settings', 'version'])
      expect(help).toMatchObject({ kind: 'text', text: expect.stringContaining(`--${name} `) });
    expect(help).toMatchObject({ text: expect.stringContaining('LOG_FORMAT=pretty') });
  });

  it('accept --settings, which prints both tables with the advice when to change a setting', () => {
    expect(read('--settings')).toMatchObject({
      kind: 'text',
      text: expect.stringContaining('when to change it'),
    });
  });

  it.each([
    [['--check-config', '--print-config'], '--check-config and --print-config exclude each other'],
    [['--nope'], '--nope'],
    [['--env-file'], '--env-file'],
    [['gateway.yaml'], 'gateway.yaml'],
    [['--config='], '--config is empty. Give it a value, or leave it out.'],
    [['--config', 'a.yaml', '--config=b.yaml'], '--config is given twice. Leave one out.'],
  ])('%j are wrong usage', (args, sentence) => {
    expect(read(...args)).toEqual({
      kind: 'wrong',
      faults: [expect.stringContaining(sentence), expect.stringContaining('--help')],
    });
  });

  it('that npm took as its own are named in the error', () => {
    const kept = { npm_lifecycle_event: 'start', npm_config_check_config: 'true' };
    expect(readArguments(kept, [])).toEqual({
      kind: 'wrong',
      faults: [expect.stringContaining('npm start -- --check-config')],
    });
  });
});
