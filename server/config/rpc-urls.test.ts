import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from './environment.ts';
import { loadConfig } from './load.ts';

const address = `0x${'22'.repeat(20)}`;
const payee = `0x${'33'.repeat(20)}`;
const chain = `chain: {rpcUrl: "https://node.example/v2/k3y", asset: "${address}", tokenName: T, payTo: "${payee}"}`;
const proofLedger = `proofLedger: {rpcUrl: "https://ledger.example", chainId: 31740, contract: "${address}"}`;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, environment: Environment) {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, `${yaml}\n${proofLedger}`);
  return loadConfig(file, environment);
}

const listFaults = (loaded: ReturnType<typeof loadConfig>) => (loaded.ok ? [] : loaded.fault);

function readUrls(loaded: ReturnType<typeof loadConfig>) {
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  return loaded.value.config.chain?.rpcUrl;
}

describe('Several RPC endpoints', () => {
  const urls = ['https://one.example/v2/k3y', 'http://127.0.0.1:8545'];
  const environment = { RELAYER_KEY: `0x${'1f'.repeat(32)}`, PROOF_LEDGER_KEY: `0x${'3d'.repeat(32)}` };
  const listed = (list: string) => load(chain.replace('"https://node.example/v2/k3y"', list), environment);

  it.each(['"https://one.example/v2/k3y, http://127.0.0.1:8545"', `[${urls.map((url) => `"${url}"`)}]`])(
    'are a text or a list: %s',
    (list) => {
      expect(readUrls(listed(list))).toEqual(urls);
    },
  );

  it.each([urls.join(','), urls.join(' '), ` ${urls.join('\n')}\n`])('are one variable: %j', (text) => {
    const loaded = load(chain, { ...environment, CHAIN_RPC_URL: text });
    expect(readUrls(loaded)).toEqual(urls);
  });

  it.each([
    ['none', '""', 'must be an http or https URL'],
    [
      'one that is no URL',
      '"https://s3cret.example ftp://s3cret"',
      'must be an http or https URL (number 2 is not one',
    ],
    [
      'a duplicate',
      '["https://s3cret.example", "https://s3cret.example"]',
      'has the same URL twice (number 2)',
    ],
    [
      'too many',
      `[${Array.from({ length: 9 }, (_, at) => `"http://s3cret${at}"`)}]`,
      'must be at most 8 URLs',
    ],
    ['a number', '8545', 'must be an http or https URL, or several'],
  ])('%s gives a fault with the position, without the text', (_name, list, sentence) => {
    const faults = listFaults(listed(list));
    expect(faults).toEqual([expect.stringContaining(`chain.rpcUrl (CHAIN_RPC_URL): ${sentence}`)]);
    expect(faults[0]).not.toContain('s3cret');
  });
});
