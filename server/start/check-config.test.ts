import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeAddress } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../config/environment.ts';
import { readConfig } from '../config/load.ts';
import { checkConfig } from './check-config.ts';
import { showConfig } from './show-config.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const key = (byte: string) => `0x${byte.repeat(32)}`;
const computeKeyAddress = (byte: string) => computeAddress(key(byte)).toLowerCase();
const real = {
  CHAIN_RPC_URL: 'https://node.example/v2/s3cret-s3cret http://127.0.0.1:1',
  TOKEN_ADDRESS: address('22'),
  TOKEN_NAME: 'T',
  PAY_TO: address('33'),
  RELAYER_KEY: `${key('1f')},${key('2e')}`,
  PROOF_LEDGER_RPC_URL: 'https://ledger.example/?key=s3cret',
  PROOF_LEDGER_CHAIN_ID: '31740',
  PROOF_LEDGER_CONTRACT: address('44'),
  PROOF_LEDGER_KEY: key('3d'),
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-check-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const check = (environment: Environment, file: string | null = null) =>
  checkConfig(readConfig(file, environment), environment);

function checked(environment: Environment) {
  const result = check(environment);
  if (!result.ok) throw new Error(result.fault.join('\n'));
  return result.value;
}

function listFaults(environment: Environment, file: string | null = null): readonly string[] {
  const result = check(environment, file);
  return result.ok ? [] : result.fault;
}

/** Writes a catalog with one model of an upstream, or of several. */
function writeCatalog(upstreams: readonly object[] = []): string {
  const file = join(folder, 'catalog.json');
  const model = {
    id: 'alder/alder-mini',
    created: 1_700_000_000,
    owned_by: 'alder',
    engine: 'openai',
    ...(upstreams.length > 0
      ? { upstreams }
      : { upstream: { base_url: 'http://127.0.0.1:8000/v1', model: 'm', api_key_env: 'UPSTREAM_KEY' } }),
    context_length: 8_192,
    max_output_tokens: 2_048,
    pricing: { input_per_million: '7', output_per_million: '8', minimum: '9' },
  };
  writeFileSync(file, JSON.stringify({ models: [model] }));
  return file;
}

describe('--check-config (D-190)', () => {
  it('describes a gateway without settings: a devnet, its store, and the models with their prices', () => {
    const config = checked({});
    expect(config).toMatchObject({
      listensOn: '127.0.0.1:8402',
      baseUrl: 'http://127.0.0.1:8402',
      chain: { kind: 'devnet', id: 84_532, folder: '.data/devnet' },
      settledBy: { kind: 'devnet' },
      store: { kind: 'sqlite', file: join('.data/devnet', 'gateway.db') },
      proofLedger: null,
      attestation: { provider: 'auto', required: 'none' },
      warnings: [],
    });
    expect(config.models).toHaveLength(16);
    expect(config.models[0]).toMatchObject({
      id: 'alder/alder-mini',
      engine: 'reference',
      upstreams: [],
      pricing: { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' },
    });
    expect(showConfig(config)).toContain(
      'alder/alder-mini: 1000000 for a million tokens of input, 4000000 of',
    );
  });

  it('describes a gateway on a real chain: the addresses of its keys, and no key', () => {
    const config = checked({
      ...real,
      PUBLIC_BASE_URL: 'https://gateway.example/',
      DATABASE_URL: 'postgres://user:s3cret@db.example:5433/payments?password=s3cret',
      COMPLETION_KEY: key('ab'),
      CATALOG_FILE: writeCatalog(),
      UPSTREAM_KEY: 's3cret',
    });
    expect(config).toMatchObject({
      baseUrl: 'https://gateway.example',
      chain: {
        rpcUrls: ['https://node.example/v2/***', 'http://127.0.0.1:1'],
        token: { address: address('22'), name: 'T' },
        payTo: address('33'),
      },
      settledBy: {
        kind: 'relayers',
        addresses: [computeKeyAddress('1f'), computeKeyAddress('2e')],
        feeGweiMax: 50,
      },
      store: { kind: 'postgres', host: 'db.example:5433', database: 'payments' },
      proofLedger: { rpcUrl: 'https://ledger.example/?key=***', writtenBy: computeKeyAddress('3d') },
      models: [{ id: 'alder/alder-mini', upstreams: [{ url: 'http://127.0.0.1:8000/v1', weight: 1 }] }],
    });
    for (const shown of [JSON.stringify(config), showConfig(config)])
      for (const secret of ['s3cret', ...['1f', '2e', '3d', 'ab'].map((byte) => byte.repeat(32))])
        expect(shown).not.toContain(secret);
    expect(showConfig(config)).toContain('PostgreSQL database payments at db.example:5433');
  });

  it('names the upstreams of a model, and their weights where they differ (D-310)', () => {
    const upstreams = ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8001/v1'].map((base_url) => ({
      base_url,
      model: 'm',
    }));
    const shown = () => showConfig(checked({ CATALOG_FILE: writeCatalog(upstreams) }));
    expect(shown()).toContain('(openai at http://127.0.0.1:8000/v1, http://127.0.0.1:8001/v1)');
    Object.assign(upstreams[1] ?? {}, { weight: 3 });
    expect(shown()).toContain(
      '(openai at http://127.0.0.1:8000/v1 with the weight 1, http://127.0.0.1:8001/v1 with the weight 3)',
    );
  });

  it('names the facilitator, and says whether it has a token, without the token', () => {
    const { RELAYER_KEY: _, ...others } = real;
    const environment = { ...others, FACILITATOR_URL: 'https://facilitator.example/s3cret-s3cret' };
    const settledBy = { kind: 'facilitator', url: 'https://facilitator.example/***', x402Version: null };
    expect(checked(environment).settledBy).toEqual({ ...settledBy, hasToken: false });
    const withToken = checked({ ...environment, FACILITATOR_TOKEN: 's3cret' });
    expect(withToken.settledBy).toEqual({ ...settledBy, hasToken: true });
    expect(showConfig(withToken)).toMatch(/the facilitator \S+, the version that it offers, with a token/);
  });

  it.each([
    [{ PORT: '0' }, { listensOn: '127.0.0.1:0', baseUrl: null }],
    [{ HOST: '[::1]' }, { listensOn: '[::1]:8402', baseUrl: 'http://[::1]:8402' }],
    [
      { HOST: '0.0.0.0', PUBLIC_BASE_URL: 'https://gateway.example' },
      { listensOn: '0.0.0.0:8402', baseUrl: 'https://gateway.example' },
    ],
  ])('with %j shows the address and the base URL', (environment, shown) => {
    expect(checked(environment)).toMatchObject(shown);
  });

  it('has the warnings of the start, also as text', () => {
    const config = checked({ ...real, FACILITATOR_TOKEN: 'x', PUBLIC_BASE_URL: 'http://gateway.example' });
    expect(config.warnings).toEqual([
      expect.stringContaining('FACILITATOR_TOKEN is ignored'),
      expect.stringContaining('in the clear'),
    ]);
    expect(showConfig(config).match(/^ {2}Warning /gm)).toHaveLength(2);
    expect(showConfig(checked(real))).not.toContain('Warning');
  });
});

describe('--check-config reports all faults at once (D-190)', () => {
  it('in settings, keys, catalog and the keys of upstreams', () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'bodyBytesMax: 1\nadvanced: { toolsMax: 0 }');
    expect(listFaults({ PORT: '-1', RELAYER_KEY: 'abc', CATALOG_FILE: writeCatalog() }, file)).toEqual([
      expect.stringContaining('bodyBytesMax: is under advanced now'),
      expect.stringContaining('port (PORT): is -1'),
      expect.stringContaining('advanced.bodyBytesMax: is 1'),
      expect.stringContaining('advanced.toolsMax: is 0'),
      expect.stringContaining('RELAYER_KEY: must be a private key'),
      expect.stringContaining('UPSTREAM_KEY must be set in the environment'),
    ]);
  });

  it('in a catalog that the settings file names, beside another wrong setting', () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'port: -1\ncatalogFile: nope.json');
    expect(listFaults({}, file)).toEqual([
      expect.stringContaining('port (PORT): is -1'),
      expect.stringContaining('nope.json cannot be read (ENOENT)'),
    ]);
  });

  it('in the settings file, and in the catalog that the environment names', () => {
    expect(listFaults({ CATALOG_FILE: 'nope.json' }, join(folder, 'missing.yaml'))).toEqual([
      expect.stringContaining('missing.yaml: cannot be read: ENOENT'),
      expect.stringContaining('nope.json cannot be read (ENOENT)'),
    ]);
  });

  it('in keys alone', () => {
    const { RELAYER_KEY: _, ...others } = real;
    expect(listFaults(others)).toEqual([expect.stringContaining('RELAYER_KEY or RELAYER_KEY_FILE: ')]);
  });
});
