import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from './environment.ts';
import { loadConfig } from './load.ts';

const address = `0x${'22'.repeat(20)}`;
const payee = `0x${'33'.repeat(20)}`;
const relayerKey = `0x${'1f'.repeat(32)}`;
const proofLedgerKey = `0x${'3d'.repeat(32)}`;
const chain = `chain: {rpcUrl: "https://node.example/k3y", asset: "${address}", tokenName: T, payTo: "${payee}"}`;
const proofLedger = `proofLedger: {rpcUrl: "https://ledger.example/k3y", chainId: 31740, contract: "${address}"}`;
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

function load(yaml: string, environment: Environment) {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return loadConfig(file, environment);
}

/** The faults without the name of the file, which differs in every run. */
function faultsWith(yaml: string, environment: Environment = { RELAYER_KEY: relayerKey }): readonly string[] {
  const loaded = load(yaml, environment);
  return loaded.ok ? [] : loaded.fault.map((fault) => fault.replace(`${folder}/`, ''));
}

describe('The proof ledger', () => {
  it('is needed with a chain, and one line lists the settings', () => {
    const faults = faultsWith(chain);
    expect(faults).toHaveLength(1);
    for (const name of ['proofLedger', ...Object.keys(ledgerVariables), 'PROOF_LEDGER_KEY_FILE'])
      expect(faults[0]).toContain(name);
  });

  it('needs a chain: the devnet has its own proof ledger', () => {
    expect(faultsWith(proofLedger, { PROOF_LEDGER_KEY: proofLedgerKey })).toEqual([
      expect.stringMatching(/^proofLedger: goes with chain/),
    ]);
  });

  it('must be on another chain than the payments', () => {
    const same = proofLedger.replace('31740', '84532');
    expect(
      faultsWith(`${chain}\n${same}`, { RELAYER_KEY: relayerKey, PROOF_LEDGER_KEY: proofLedgerKey }),
    ).toEqual([
      expect.stringMatching(/^proofLedger\.chainId \(PROOF_LEDGER_CHAIN_ID\): must be another chain/),
    ]);
  });

  it('has its own key, from the environment or from a file that it names', () => {
    const file = join(folder, 'ledger.key');
    writeFileSync(file, `${proofLedgerKey}\n`);
    expect(faultsWith(chains)).toEqual([
      expect.stringMatching(/^PROOF_LEDGER_KEY or PROOF_LEDGER_KEY_FILE: /),
    ]);
    const expected = { ok: true, value: { proofLedgerKey, relayerKeys: [relayerKey] } };
    for (const key of [{ PROOF_LEDGER_KEY: proofLedgerKey.slice(2) }, { PROOF_LEDGER_KEY_FILE: file }])
      expect(load(chains, { RELAYER_KEY: relayerKey, ...key })).toMatchObject(expected);
    expect(
      faultsWith(chains, { RELAYER_KEY: relayerKey, PROOF_LEDGER_KEY_FILE: join(folder, 'missing.key') }),
    ).toEqual([
      'PROOF_LEDGER_KEY_FILE: missing.key cannot be read (ENOENT). Name a file that holds the key.',
    ]);
  });

  it.each(['0x1234', 'zz'.repeat(32), `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`])(
    'a key of %s is rejected, and never repeated',
    (key) => {
      expect(faultsWith(chains, { RELAYER_KEY: relayerKey, PROOF_LEDGER_KEY: key })).toEqual([
        expect.stringMatching(
          /^PROOF_LEDGER_KEY: must be a private key(, and this number is zero or beyond the order of the curve secp256k1| of 32 bytes in hex, with or without 0x)$/,
        ),
      ]);
    },
  );

  it('has a key that is no setting', () => {
    expect(
      faultsWith(`${chains}\nproofLedgerKey: "${proofLedgerKey}"`, {
        RELAYER_KEY: relayerKey,
        ...ledgerVariables,
      }),
    ).toEqual([
      'proofLedgerKey: there is no such setting; a secret is never in the file: set PROOF_LEDGER_KEY or PROOF_LEDGER_KEY_FILE in the environment',
    ]);
  });
});
