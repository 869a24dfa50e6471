import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Environment, environmentSettings } from './environment.ts';
import { loadConfig } from './load.ts';

const address = `0x${'22'.repeat(20)}`;
const payee = `0x${'33'.repeat(20)}`;
const relayerKey = `0x${'1f'.repeat(32)}`;
const chain = `chain: {rpcUrl: "https://node.example/v2/k3y", asset: "${address}", tokenName: T, payTo: "${payee}"}`;
const proofLedger = `proofLedger: {rpcUrl: "https://ledger.example/k3y", chainId: 31740, contract: "${address}"}`;
const proofLedgerKey = `0x${'3d'.repeat(32)}`;
/** Both chains, without their keys. */
const chains = `${chain}\n${proofLedger}`;
const ledgerVariables = {
  PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:8546',
  PROOF_LEDGER_CHAIN_ID: '31740',
  PROOF_LEDGER_CONTRACT: address,
  PROOF_LEDGER_KEY: proofLedgerKey,
};
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, environment: Environment = {}) {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return loadConfig(file, environment);
}

/** The faults without the name of the file, which differs in every run. */
function listFaults(loaded: ReturnType<typeof loadConfig>): readonly string[] {
  return loaded.ok ? [] : loaded.fault.map((fault) => fault.replace(`${folder}/`, ''));
}

function expectConfig(loaded: ReturnType<typeof loadConfig>) {
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  return loaded.value.config;
}

describe('Without any settings', () => {
  it('everything has a default, there is no chain, and no key is needed', () => {
    const loaded = loadConfig(null, {});
    expect(loaded).toMatchObject({ ok: true, value: { relayerKeys: [] } });
    expect(expectConfig(loaded)).toMatchObject({
      host: '127.0.0.1',
      port: 8402,
      offerValiditySeconds: 300,
      bodyBytesMax: 1_048_576,
      messagesMax: 1_024,
      toolsMax: 128,
      paymentHeaderBytesMax: 8_192,
    });
    expect(expectConfig(loaded).chain).toBeUndefined();
  });

  it('an empty file equals no file', () => {
    expect(load('')).toEqual(loadConfig(null, {}));
    expect(load('# nothing but a comment\n')).toEqual(loadConfig(null, {}));
  });

  it('the settings are frozen', () => {
    expect(Object.isFrozen(expectConfig(loadConfig(null, {})))).toBe(true);
  });
});

describe('The environment', () => {
  it('overrides single settings of the file, and defines a chain without a file', () => {
    const config = expectConfig(load('port: 1\nhost: 127.0.0.2', { PORT: '9000' }));
    expect([config.port, config.host]).toEqual([9_000, '127.0.0.2']);
    const environment = {
      CHAIN_RPC_URL: 'http://127.0.0.1:8545',
      TOKEN_ADDRESS: address.toUpperCase().replace('X', 'x'),
      TOKEN_NAME: 'T',
      PAY_TO: payee,
      RELAYER_KEY: relayerKey,
      ...ledgerVariables,
    };
    const loaded = expectConfig(loadConfig(null, environment));
    expect(loaded.chain).toMatchObject({ asset: address, tokenName: 'T' });
    expect(loaded.proofLedger).toEqual({
      rpcUrl: 'http://127.0.0.1:8546',
      chainId: 31_740,
      contract: address,
    });
  });

  it('counts an empty variable as not set', () => {
    expect(expectConfig(load('port: 1', { PORT: '' })).port).toBe(1);
  });

  it('reaches a setting with every variable', () => {
    for (const [name, { kind }] of Object.entries(environmentSettings)) {
      const text = kind === 'number' ? '1' : '';
      const changed = loadConfig(null, { [name]: text || '!' });
      expect(changed, name).not.toEqual(loadConfig(null, {}));
    }
  });

  it.each(['eighty', '8402x', '-1', '1e3', '0x50', ' 80', '12.5', '65536', '9'.repeat(30)])(
    'a port of %j is rejected and named',
    (text) => {
      const faults = listFaults(loadConfig(null, { PORT: text }));
      expect(faults[0]).toMatch(/^port \(PORT\): /);
    },
  );
});

describe('All faults are reported at once', () => {
  it('with setting, variable and valid values', () => {
    const faults = listFaults(
      load('port: 70000\nnope: 1\nchain: {rpcUrl: "ftp://x", asset: 0x12, more: 1}\nlogLevel: loud'),
    );
    for (const start of [
      'port (PORT): ',
      'nope: there is no such setting',
      'chain.rpcUrl (CHAIN_RPC_URL): must be an http or https URL',
      'chain.asset (TOKEN_ADDRESS): must be text',
      'chain.tokenName (TOKEN_NAME): ',
      'chain.payTo (PAY_TO): ',
      'chain.more: there is no such setting',
      'logLevel (LOG_LEVEL): ',
      'RELAYER_KEY or RELAYER_KEY_FILE: ',
      'proofLedger (PROOF_LEDGER_RPC_URL, ',
    ]) {
      expect(
        faults.filter((fault) => fault.startsWith(start)),
        start,
      ).toHaveLength(1);
    }
    expect(faults).toHaveLength(10);
  });

  it('an invalid key beside invalid settings too', () => {
    const faults = listFaults(load('port: -1', { RELAYER_KEY: 'abc' }));
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['port (PORT)', 'RELAYER_KEY']);
  });

  it.each([
    ['a list', '- 1', 'must be a mapping of settings'],
    ['a word', 'hello', 'must be a mapping of settings'],
    ['broken YAML', 'a: [', 'cannot be read: '],
    ['a setting given twice', 'port: 1\nport: 2', 'cannot be read: '],
    ['an alias without an anchor', 'host: *x', 'cannot be read: it has too many aliases, '],
  ])('a file that holds %s', (_name, yaml, message) => {
    expect(listFaults(load(yaml))).toEqual([expect.stringContaining(`gateway.yaml: ${message}`)]);
  });

  it('a missing file', () => {
    const faults = listFaults(loadConfig(join(folder, 'missing.yaml'), {}));
    expect(faults).toEqual([expect.stringMatching(/^missing\.yaml: cannot be read: ENOENT/)]);
  });
});

describe('The key of the relayer', () => {
  it('is needed for a real chain, and read from the environment or from a file that it names', () => {
    const file = join(folder, 'relayer.key');
    writeFileSync(file, `${relayerKey.slice(2)}\n`);
    expect(listFaults(load(chains, ledgerVariables))).toEqual([
      expect.stringMatching(/^RELAYER_KEY or RELAYER_KEY_FILE: /),
    ]);
    const expected = { ok: true, value: { relayerKeys: [relayerKey] } };
    expect(load(chains, { ...ledgerVariables, RELAYER_KEY: relayerKey })).toMatchObject(expected);
    expect(load(chains, { ...ledgerVariables, RELAYER_KEY: relayerKey.slice(2) })).toMatchObject(expected);
    expect(load(chains, { ...ledgerVariables, RELAYER_KEY_FILE: file })).toMatchObject(expected);
  });

  it('is not repeated where the name of its file is expected', () => {
    const keys = `0x${'1f'.repeat(32)},${'2e'.repeat(32)}`;
    const faults = listFaults(load(chains, { ...ledgerVariables, RELAYER_KEY_FILE: keys }));
    expect(faults).toEqual([
      'RELAYER_KEY_FILE: is a key, and must name a file that holds one. To give the key itself, set RELAYER_KEY.',
    ]);
  });

  it('gives one fault, not two, if its file cannot be read', () => {
    const faults = listFaults(
      load(chains, { ...ledgerVariables, RELAYER_KEY_FILE: join(folder, 'missing.key') }),
    );
    expect(faults).toEqual([
      'RELAYER_KEY_FILE: missing.key cannot be read (ENOENT). Name a file that holds the key.',
    ]);
  });

  it.each([
    ['too short', '0x1234', 'of 32 bytes in hex, with or without 0x'],
    ['not hex', 'zz'.repeat(32), 'of 32 bytes in hex, with or without 0x'],
    ['zero', `0x${'00'.repeat(32)}`, expect.stringMatching(/^, and this number is zero or beyond/)],
    ['beyond the order', 'ff'.repeat(32), expect.stringMatching(/^, and this number is zero or beyond/)],
  ])('%s is rejected, and never repeated', (_name, key, why) => {
    const [fault = '', ...more] = listFaults(load(chains, { ...ledgerVariables, RELAYER_KEY: key }));
    expect(more).toEqual([]);
    const start = 'RELAYER_KEY: must be a private key';
    expect([fault.slice(0, start.length), fault.slice(start.length).trim()]).toEqual([start, why]);
  });

  const another = `0x${'2e'.repeat(32)}`;

  it('may be several, in order, with any separators', () => {
    const file = join(folder, 'relayers.key');
    writeFileSync(file, `${relayerKey}\n${another.slice(2)}\n\n`);
    const expected = { ok: true, value: { relayerKeys: [relayerKey, another] } };
    for (const between of [',', ', ', ' ', '\n'])
      expect(
        load(chains, { ...ledgerVariables, RELAYER_KEY: `${relayerKey}${between}${another}` }),
      ).toMatchObject(expected);
    expect(load(chains, { ...ledgerVariables, RELAYER_KEY_FILE: file })).toMatchObject(expected);
  });

  it.each([
    [
      'an invalid one among them',
      `${relayerKey},0x12`,
      'key 2 of 2 must be a private key of 32 bytes in hex, with or without 0x',
    ],
    [
      'a duplicate',
      [relayerKey, another, relayerKey.slice(2).toUpperCase()].join(),
      'key 3 of 3 is the same as key 1',
    ],
    [
      'too many',
      Array.from({ length: 17 }, (_, at) => `0x${String(at + 10).repeat(32)}`).join(),
      'at most 16',
    ],
  ])('%s is rejected by its position, and never repeated', (_name, keys, sentence) => {
    const faults = listFaults(load(chains, { ...ledgerVariables, RELAYER_KEY: keys }));
    expect(faults).toEqual([expect.stringContaining(`RELAYER_KEY: ${sentence}`)]);
    for (const key of keys.split(',')) expect(faults[0]).not.toContain(key);
  });

  it('is no setting: in the file it is rejected by name, without its value', () => {
    const faults = listFaults(load(`relayerKey: "${relayerKey}"`));
    expect(faults).toEqual([
      'relayerKey: there is no such setting; a secret is never in the file: set RELAYER_KEY or RELAYER_KEY_FILE in the environment',
    ]);
  });
});

describe('Secrets in the URL of a node', () => {
  it.each(['ftp://user:pass-w0rd@node.example/k3y-s3cret', 'pass-w0rd k3y-s3cret'])(
    'are in no message: %s',
    (rpcUrl) => {
      const faults = listFaults(loadConfig(null, { CHAIN_RPC_URL: rpcUrl })).join('\n');
      expect(faults).toContain('chain.rpcUrl (CHAIN_RPC_URL)');
      expect(faults).not.toMatch(/w0rd|s3cret/);
    },
  );

  it.each(['ftp://user:pass-w0rd@node.example/k3y-s3cret', 'pass-w0rd k3y-s3cret'])(
    'are in no message about the proof ledger: %s',
    (rpcUrl) => {
      const faults = listFaults(loadConfig(null, { PROOF_LEDGER_RPC_URL: rpcUrl })).join('\n');
      expect(faults).toContain('proofLedger.rpcUrl (PROOF_LEDGER_RPC_URL)');
      expect(faults).not.toMatch(/w0rd|s3cret/);
    },
  );

  it('are not printed by the parser, whose messages quote the file', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      const broken = listFaults(load('chain: {rpcUrl: "http://k3y-s3cret", asset: ]')).join('\n');
      expect(broken).toMatch(/cannot be read/);
      load('chain: {rpcUrl: !url "http://k3y-s3cret"}');
      expect([broken, ...warned.mock.calls.flat()].join('\n')).not.toContain('k3y-s3cret');
    } finally {
      warned.mockRestore();
    }
  });
});

it('A public base URL loses its trailing slashes, so that paths can be appended', () => {
  expect(expectConfig(load('publicBaseUrl: https://pay.example/llm//')).publicBaseUrl).toBe(
    'https://pay.example/llm',
  );
  expect(listFaults(load('publicBaseUrl: pay.example'))[0]).toMatch(/^publicBaseUrl \(PUBLIC_BASE_URL\): /);
});

describe('D-197: a path of a file or folder', () => {
  it.each([
    ['DATABASE_FILE', 'databaseFile', ':memory:'],
    ['DATABASE_FILE', 'databaseFile', 'file:gateway.db'],
    ['DEVNET_FOLDER', 'devnetFolder', 'file:devnet'],
  ])('%s must not be a name that SQLite treats specially (%s: %s)', (variable, name, value) => {
    const why = 'must be a path, not a URL or `:memory:`';
    expect(listFaults(load('', { [variable]: value }))).toEqual([expect.stringContaining(why)]);
    expect(listFaults(load(`${name}: "${value}"`))).toEqual([
      expect.stringContaining(`${name} (${variable}): ${why}`),
    ]);
  });

  it('may have a colon elsewhere', () => {
    expect(load('', { DATABASE_FILE: './file:gateway.db' }).ok).toBe(true);
  });
});
