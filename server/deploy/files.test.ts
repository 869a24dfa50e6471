import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { environmentSettings } from '../config/environment.ts';
import { readConfig } from '../config/load.ts';
import { configSchema } from '../config/schema.ts';
import { checkConfig } from '../start/check-config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const defaults = configSchema.parse({});

/** The keys that compose.yaml and the unit of systemd add to the settings. */
const keys = { RELAYER_KEY: `0x${'1f'.repeat(32)}`, PROOF_LEDGER_KEY: `0x${'2e'.repeat(32)}` };

describe('gateway.env.example', () => {
  const text = read('server/deploy/gateway.env.example');

  it('has valid settings, without a warning', () => {
    const environment = { ...parseEnv(text), ...keys };
    const checked = checkConfig(readConfig(null, environment), environment);
    expect(checked).toMatchObject({ ok: true, value: { warnings: [], settledBy: { kind: 'relayers' } } });
  });

  it('has valid settings for PostgreSQL in its comments', () => {
    const shared = text
      .replaceAll(/^# (DATABASE_URL|COMPLETION_KEY)/gm, '$1')
      .replace('0x…', `0x${'ab'.repeat(32)}`);
    const environment = { ...parseEnv(shared), ...keys };
    expect(checkConfig(readConfig(null, environment), environment)).toMatchObject({
      ok: true,
      value: { store: { kind: 'postgres', host: 'postgres:5432', database: 'gateway' } },
    });
  });
});

describe('compose.yaml', () => {
  const text = read('server/deploy/compose.yaml');
  const { services, secrets, networks, volumes } = parse(text);

  it('runs the gateway without rights and on a read-only root', () => {
    expect(services.gateway).toMatchObject({
      user: 'node',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(existsSync(join(root, services.gateway.build.dockerfile))).toBe(true);
  });

  it('gives a stop more time than the gateway takes', () => {
    expect(Number.parseInt(services.gateway.stop_grace_period, 10)).toBeGreaterThan(
      defaults.shutdownTimeoutMs / 1_000,
    );
  });

  it('names only secrets, networks, volumes and files that exist, and images by version', () => {
    for (const service of Object.values<Record<string, unknown>>(services)) {
      expect(Object.keys(secrets)).toEqual(expect.arrayContaining((service['secrets'] as string[]) ?? []));
      expect(Object.keys(networks)).toEqual(expect.arrayContaining(service['networks'] as string[]));
      if (service['build'] === undefined) expect(service['image']).toMatch(/:\d+\.\d+(\.\d+)?$/);
      for (const volume of (service['volumes'] as string[]) ?? []) {
        const [source = ''] = volume.split(':');
        if (source === './tls') continue;
        if (source.startsWith('.')) expect(existsSync(join(root, 'server/deploy', source))).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  it('sets variables that the gateway reads, to the files of its secrets', () => {
    for (const [name, value] of Object.entries<string>(services.gateway.environment)) {
      expect(['RELAYER_KEY_FILE', 'PROOF_LEDGER_KEY_FILE']).toContain(name);
      expect(services.gateway.secrets).toContain(value.replace('/run/secrets/', ''));
    }
    expect(services.gateway.env_file).toBe('gateway.env');
  });

  it('connects the proxy and the database with the gateway alone', () => {
    const { gateway, postgres, nginx } = services;
    expect([gateway.networks, postgres.networks, nginx.networks]).toEqual([
      ['front', 'back'],
      ['back'],
      ['front'],
    ]);
    expect([gateway.ports, postgres.ports]).toEqual([undefined, undefined]);
  });
});

describe('nginx.conf', () => {
  const text = read('server/deploy/nginx.conf');
  const readNumber = (name: string) =>
    Number.parseInt(new RegExp(`^ *${name} (.*);$`, 'm').exec(text)?.[1] ?? '', 10);

  it('fits the defaults of the gateway', () => {
    expect(readNumber('client_max_body_size') * 1_048_576).toBe(defaults.bodyBytesMax);
    expect(readNumber('keepalive_timeout') * 1_000).toBeLessThan(defaults.keepAliveTimeoutMs);
    const longest = defaults.inferenceTimeoutMs + defaults.unsettledWaitMs + defaults.settlementWaitMs;
    expect(readNumber('proxy_read_timeout') * 1_000).toBeGreaterThan(longest);
  });
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('The units of systemd', () => {
  const names = globSync('*.service', { cwd: join(root, 'server/deploy') });
  const [gateway = '', doctor = ''] = ['paid-inference-gateway.service', 'paid-inference-doctor.service'].map(
    (name) => read(`server/deploy/${name}`),
  );
  const valuesOf = (unit: string, name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');

  it('run the doctor with the user, the settings and the keys of the gateway', () => {
    const shared = ['User', 'DynamicUser', 'EnvironmentFile', 'LoadCredential', 'UMask', 'WorkingDirectory'];
    for (const name of [...shared, 'StateDirectory', 'StateDirectoryMode', 'SystemCallFilter'])
      expect([name, valuesOf(doctor, name)]).toEqual([name, valuesOf(gateway, name)]);
    const [ofDoctor, ofGateway] = [doctor, gateway].map((unit) => valuesOf(unit, 'Environment'));
    expect(ofGateway).toEqual(expect.arrayContaining(ofDoctor ?? []));
    expect(valuesOf(doctor, 'ExecStart')).toEqual(
      valuesOf(gateway, 'ExecStart').map((command) => `${command} doctor`),
    );
  });

  it('set variables that the gateway, Node or the C library reads', () => {
    const known = [
      ...Object.keys(environmentSettings),
      ...['RELAYER_KEY_FILE', 'PROOF_LEDGER_KEY_FILE'],
      ...['MALLOC_ARENA_MAX', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE'],
    ];
    const set = valuesOf(gateway, 'Environment').flatMap((line) =>
      line.split(' ').map((each) => each.split('=')[0]),
    );
    expect(known).toEqual(expect.arrayContaining(set));
  });

  it('give a stop more time than the gateway takes', () => {
    expect(Number(valuesOf(gateway, 'TimeoutStopSec')[0])).toBeGreaterThan(
      defaults.shutdownTimeoutMs / 1_000,
    );
  });

  it.runIf(hasSystemd).each(names)('%s is valid, and leaves the service few rights', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'paid-inference-unit-'));
    try {
      // The command is not installed here.
      const unit = read(`server/deploy/${name}`).replace(
        'ExecStart=/usr/local/bin/paid-inference-gateway',
        'ExecStart=/bin/true',
      );
      const path = join(folder, name);
      writeFileSync(path, unit);
      const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
      expect([verified.status, verified.stderr]).toEqual([0, '']);
      // 0 is no exposure, and 100 is a service without any protection.
      execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', path], {
        stdio: 'pipe',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('The workflows', () => {
  const folder = '.github/workflows';
  const workflows = globSync('*.yaml', { cwd: join(root, folder) }).map((name) => ({
    name,
    content: parse(read(join(folder, name))),
  }));
  type Job = {
    permissions?: object;
    uses?: string;
    steps?: { uses?: string; run?: string }[];
    needs?: string;
  };
  const jobsOf = (name: string): Record<string, Job> =>
    workflows.find((workflow) => workflow.name === name)?.content.jobs ?? {};
  const commandsOf = (job: Job | undefined) => (job?.steps ?? []).map(({ run = '' }) => run).join('\n');

  it('pin each action of others to a commit, and have only the rights to read', () => {
    expect(workflows.map(({ name }) => name).sort()).toEqual(['ci.yaml', 'release.yaml']);
    for (const { content } of workflows) {
      expect(content.permissions).toEqual({ contents: 'read' });
      const jobs = Object.values<Job>(content.jobs);
      const used = jobs.flatMap((job) => [job.uses, ...(job.steps ?? []).map(({ uses }) => uses)]);
      for (const action of used.filter((each) => each !== undefined))
        expect(action).toMatch(/^\.\/|@[0-9a-f]{40}$/);
    }
  });

  it('run the whole test with the Node of the project', () => {
    const job = jobsOf('ci.yaml')['test'];
    expect(commandsOf(job)).toContain('.ci/run');
    const { devDependencies } = JSON.parse(read('package.json'));
    for (const { name } of workflows)
      for (const [version] of read(join(folder, name)).matchAll(/(?<=node-version: ).+/g))
        expect(version).toBe(devDependencies.node);
    for (const [image] of read('server/Containerfile').matchAll(/(?<=FROM node:)[\d.]+/g))
      expect(image).toBe(devDependencies.node);
  });

  it('release what passed the test, with its provenance', () => {
    const { test, release } = jobsOf('release.yaml');
    expect(test?.uses).toBe('./.github/workflows/ci.yaml');
    expect(release?.needs).toBe('test');
    expect(release?.permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' });
    expect(commandsOf(release)).toMatch(/npm run pack[\s\S]*gh release create/);
    expect(release?.steps?.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))).toBe(
      true,
    );
  });
});
