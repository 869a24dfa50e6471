import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multicallAddress } from '../chain/multicall.ts';
import type { Environment } from './environment.ts';
import { loadConfig, readConfig } from './load.ts';

const token = `0x${'22'.repeat(20)}`;
const payee = `0x${'33'.repeat(20)}`;
const contract = `0x${'44'.repeat(20)}`;
const key = `0x${'1f'.repeat(32)}`;
const whole = {
  CHAIN_RPC_URL: 'http://127.0.0.1:8545',
  TOKEN_ADDRESS: token,
  TOKEN_NAME: 'T',
  PAY_TO: payee,
  RELAYER_KEY: key,
  PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:8546',
  PROOF_LEDGER_CHAIN_ID: '31740',
  PROOF_LEDGER_CONTRACT: contract,
  PROOF_LEDGER_KEY: key,
};
let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-way-out-'));
  file = join(folder, 'gateway.yaml');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without the folder, which differs in every run. */
function listFaults(environment: Environment, yaml?: string): readonly string[] {
  if (yaml !== undefined) writeFileSync(file, yaml);
  const loaded = loadConfig(yaml === undefined ? null : file, environment);
  return loaded.ok ? [] : loaded.fault.map((fault) => fault.replaceAll(`${folder}/`, ''));
}

describe('the recipient of payments (D-145)', () => {
  it.each([
    ['the zero address', `0x${'00'.repeat(20)}`, 'is the zero address'],
    ['the placeholder for ether', `0x${'Ee'.repeat(20)}`, 'a placeholder without an owner'],
    ['the last address', `0x${'ff'.repeat(20)}`, 'a placeholder without an owner'],
    ['a precompile', `0x${'1'.padStart(40, '0')}`, 'is 0x0{39}1, which is reserved for a precompile'],
    ['the last address of that range', `0x${'FFFF'.padStart(40, '0')}`, 'is reserved for a precompile'],
    ['the token', token, 'is the address of the token'],
    ['Multicall3', multicallAddress, 'is the address of Multicall3'],
    ['the proof ledger', contract, 'is the address of the proof ledger'],
    [
      'an address with a wrong letter',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeE',
      'checksum does not hold',
    ],
  ])('must not be %s', (_name, payTo, sentence) => {
    expect(listFaults({ ...whole, PAY_TO: payTo })).toEqual([
      expect.stringMatching(new RegExp(`^chain\\.payTo \\(PAY_TO\\): .*${sentence}`)),
    ]);
  });

  it.each([
    ['above those of precompiles', `0x${'10000'.padStart(40, '0')}`],
    ['in lower case', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['with its checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['that is the relayer too', '0x39a1c40d6d4c4a90b1a3a4d55f2b1d1e2c3f4a5b'],
  ])('may be an account %s', (_name, payTo) => {
    expect(listFaults({ ...whole, PAY_TO: payTo })).toEqual([]);
  });

  it('the addresses of token and proof ledger follow the same rules', () => {
    const zero = `0x${'00'.repeat(20)}`;
    expect(listFaults({ ...whole, TOKEN_ADDRESS: zero, PROOF_LEDGER_CONTRACT: zero })).toEqual([
      expect.stringMatching(/^chain\.asset \(TOKEN_ADDRESS\): is the zero address/),
      expect.stringMatching(/^proofLedger\.contract \(PROOF_LEDGER_CONTRACT\): is the zero address/),
    ]);
  });
});

describe('a number outside its range is reported with the limit', () => {
  it.each([
    ['in the environment', { PORT: '-1' }, '', 'port (PORT): is -1; it must be at least 0'],
    ['infinite', {}, 'port: .inf', 'port (PORT): is Infinity; it must be a number, in digits alone'],
    ['in the file', {}, 'port: -1', 'port (PORT): is -1; it must be at least 0'],
    [
      'deep in the file',
      {},
      'advanced: {addressRateLimit: {requestsMax: -5, windowSeconds: 60}}',
      'advanced.addressRateLimit.requestsMax: is -5; it must be at least 1',
    ],
    [
      'too high',
      { TRUSTED_PROXIES: '17' },
      '',
      'trustedProxies (TRUSTED_PROXIES): is 17; it must be at most 16',
    ],
    [
      'that must be above zero',
      {},
      'feeGweiMax: 0',
      'feeGweiMax (FEE_GWEI_MAX): is 0; it must be more than 0',
    ],
    [
      'with a fraction',
      {},
      'advanced: {messagesMax: 1.5}',
      'advanced.messagesMax: is 1.5; it must be a whole number',
    ],
    ['as text', { PORT: '1e3' }, '', 'port (PORT): is "1e3"; it must be a number, in digits alone'],
    ['with a blank', { PORT: ' 80' }, '', 'port (PORT): is " 80"; it must be a number, in digits alone'],
    [
      'one of a few words',
      { LOG_LEVEL: 'loud' },
      '',
      'logLevel (LOG_LEVEL): is "loud"; it must be one of debug, info, warn, error, silent',
    ],
    ['a group that is no group', {}, 'chain: 5', 'chain: must be a mapping of settings'],
    ['a list for a text', {}, 'devnetFolder: [1]', 'devnetFolder (DEVNET_FOLDER): must be text'],
    [
      'a number for a text',
      {},
      'databaseFile: 2026',
      'databaseFile (DATABASE_FILE): must be text; write it in quotation marks',
    ],
    [
      'a URL, which may have a password',
      { PORT: 'postgres://user:secret@host/database' },
      '',
      'port (PORT): is another value; it must be a number, in digits alone',
    ],
    [
      'a long value',
      {},
      `port: ${'9'.repeat(10)}x${'9'.repeat(100)}`,
      'port (PORT): is another value; it must be a number, in digits alone',
    ],
    [
      'an unknown version of x402',
      { FACILITATOR_URL: 'https://facilitator.example' },
      'facilitator: {x402Version: 3}',
      'facilitator.x402Version: must be 1 or 2',
    ],
    [
      'a name that is too long',
      { ...whole, TOKEN_NAME: 'T'.repeat(201) },
      '',
      'chain.tokenName (TOKEN_NAME): must have at most 200 characters',
    ],
  ])('%s', (_name, environment, yaml, fault) => {
    expect(listFaults({ ...environment }, yaml)[0]).toBe(fault);
  });
});

describe('a setting that does not exist', () => {
  it.each([
    ['prot: 1', 'prot: there is no such setting; did you mean port?'],
    ['chain: {payTo_: x}', 'chain.payTo_: there is no such setting; did you mean chain.payTo?'],
    ['public_base_url: x', 'public_base_url: there is no such setting; did you mean publicBaseUrl?'],
    ['PAY_TO: x', 'PAY_TO: there is no such setting; in the file it is chain.payTo'],
    [
      'attestation: {requred: hardware}',
      'attestation.requred: there is no such setting; did you mean attestation.required?',
    ],
    ['somethingElseEntirely: 1', 'somethingElseEntirely: there is no such setting'],
  ])('%s', (yaml, fault) => {
    expect(listFaults({}, yaml)).toContain(fault);
  });
});

describe('a file that cannot be read', () => {
  it('gives line and column of broken YAML', () => {
    expect(listFaults({}, 'port: 1\nhost: [a\n')).toEqual([
      expect.stringMatching(/^gateway\.yaml: cannot be read: .* at line 3, column 1\. Repair the file/),
    ]);
  });

  it('is a folder', () => {
    const read = readConfig(folder, {});
    expect(read.faults).toEqual([expect.stringMatching(/cannot be read: EISDIR\. .*--config/)]);
  });
});

describe('a key', () => {
  it('of 20 bytes is reported as an address', () => {
    expect(listFaults({ ...whole, RELAYER_KEY: payee })).toEqual([
      'RELAYER_KEY: must be a private key of 32 bytes in hex; this has 20 bytes, as an address has',
    ]);
  });

  it('in an empty file, or in a folder, is reported with the variable of the file', () => {
    const empty = join(folder, 'empty.key');
    writeFileSync(empty, '\n');
    const { RELAYER_KEY: _, ...rest } = whole;
    expect(listFaults({ ...rest, RELAYER_KEY_FILE: empty })).toEqual([
      'RELAYER_KEY_FILE: the file is empty. Write a private key into it.',
    ]);
    expect(listFaults({ ...rest, RELAYER_KEY_FILE: folder })).toEqual([
      expect.stringMatching(/^RELAYER_KEY_FILE: .* cannot be read \(EISDIR\)/),
    ]);
  });

  it('is set once: a variable and a file together are a fault', () => {
    const both = { ...whole, RELAYER_KEY_FILE: join(folder, 'x'), PROOF_LEDGER_KEY_FILE: join(folder, 'y') };
    expect(listFaults(both)).toEqual([
      expect.stringMatching(/^RELAYER_KEY and RELAYER_KEY_FILE are both set/),
      expect.stringMatching(/^PROOF_LEDGER_KEY and PROOF_LEDGER_KEY_FILE are both set/),
    ]);
  });

  it('that is invalid does not hide other faults: the settings can still be checked', () => {
    const { loaded, faults } = readConfig(null, { ...whole, RELAYER_KEY: 'abc' });
    expect([faults.length, loaded?.config.chain?.tokenName]).toEqual([1, 'T']);
  });

  it('without its chain is ignored, with a warning', () => {
    const { loaded, faults } = readConfig(null, { RELAYER_KEY: key, COMPLETION_KEY: key });
    expect([faults, loaded?.warnings]).toEqual([
      [],
      [
        'RELAYER_KEY is ignored, because CHAIN_RPC_URL is not set. Set both, or neither.',
        'COMPLETION_KEY is ignored, because DATABASE_URL is not set. Set both, or neither.',
      ],
    ]);
    expect(readConfig(null, whole).loaded?.warnings).toEqual([]);
  });
});

it.each([
  ['with a user', 'https://user:s3cret@pay.example', 'must have no user'],
  ['with a query', 'https://pay.example/?a=1', 'must have no user'],
  ['with an empty query', 'https://pay.example/?', 'must have no user'],
  ['with an empty fragment', 'https://pay.example#', 'must have no user'],
  ['of every address', 'http://0.0.0.0:8402', 'must not be a wildcard'],
  ['of every address, written as a number', 'http://0', 'must not be a wildcard'],
  ['of every IPv6 address', 'http://[0::0]/llm', 'must not be a wildcard'],
])('a public base URL %s is a fault', (_name, url, sentence) => {
  const faults = listFaults({ PUBLIC_BASE_URL: url });
  expect(faults).toEqual([expect.stringContaining(`publicBaseUrl (PUBLIC_BASE_URL): ${sentence}`)]);
  expect(faults[0]).not.toContain('s3cret');
});

it('a shared store without a chain gives the settings of a chain', () => {
  expect(listFaults({ DATABASE_URL: 'postgres://127.0.0.1/x', COMPLETION_KEY: key })).toEqual([
    expect.stringMatching(
      /^DATABASE_URL: a shared store needs a real chain.*CHAIN_RPC_URL.*unset DATABASE_URL/,
    ),
  ]);
});

it.each(['127.0.0.1:80', 'http://127.0.0.1', '[::1]:80', 'a b'])('a host of %j is a fault', (HOST) => {
  expect(listFaults({ HOST })).toEqual([expect.stringMatching(/^host \(HOST\): must be an address .*PORT/)]);
});

it.each([
  ['capitals in the scheme and the host', 'HTTPS://GW.example/V2', 'https://gw.example/V2'],
  ['a blank in the path', 'https://gw.example/a b/', 'https://gw.example/a%20b'],
  ['a backslash in the path', 'https://gw.example/a\\b', 'https://gw.example/a/b'],
  ['the default port', 'https://gw.example:443', 'https://gw.example'],
  ['a host in another script', 'https://bücher.example', 'https://xn--bcher-kva.example'],
])('a public URL with %s is in each offer as clients call it (D-190)', (_name, url, expected) => {
  expect(readConfig(null, { PUBLIC_BASE_URL: url }).loaded?.config.publicBaseUrl).toBe(expected);
});

it('a public URL counts its letters as they are in an offer', () => {
  const [fits, isLonger] = [`https://gw.example/${'é'.repeat(330)}`, `https://gw.example/${'é'.repeat(331)}`];
  expect(listFaults({ PUBLIC_BASE_URL: fits })).toEqual([]);
  expect(listFaults({ PUBLIC_BASE_URL: isLonger })).toEqual([expect.stringContaining('at most 2000')]);
});
