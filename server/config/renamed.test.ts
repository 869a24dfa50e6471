import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';
import { advancedSettings } from './schema.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-renamed-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readFaults(yaml: string): readonly string[] {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  const loaded = loadConfig(file, {});
  return loaded.ok ? [] : loaded.fault;
}

const realChain = {
  CHAIN_RPC_URL: 'http://127.0.0.1:8545',
  TOKEN_ADDRESS: `0x${'22'.repeat(20)}`,
  TOKEN_NAME: 'T',
  PAY_TO: `0x${'33'.repeat(20)}`,
  RELAYER_KEY: `0x${'1f'.repeat(32)}`,
  PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:8546',
  PROOF_LEDGER_CHAIN_ID: '31740',
  PROOF_LEDGER_CONTRACT: `0x${'22'.repeat(20)}`,
  PROOF_LEDGER_KEY: `0x${'3d'.repeat(32)}`,
};

describe('A setting under its old name', () => {
  it.each([
    ['ledgerAskMs', 'storePollMs'],
    ['ledgerKeepMs', 'maintenanceMs'],
    ['storeKeepMs', 'maintenanceMs'],
    ['proofAskMs', 'proofPollMs'],
    ['ledgerConnectionsMax', 'storeConnectionsMax'],
    ['rpcLookMs', 'rpcProbeMs'],
    ['lookBackBlocks', 'logBlocksMax'],
    ['answerKeepSeconds', 'completionKeepSeconds'],
    ['privateAnswerKeepSeconds', 'privateCompletionKeepSeconds'],
    ['refusedAnswerKeepSeconds', 'refusedCompletionKeepSeconds'],
    ['rpcAnswerBytesMax', 'rpcResponseBytesMax'],
    ['upstreamAnswerBytesMax', 'upstreamResponseBytesMax'],
  ])('%s gives one error that names %s', (old, name) => {
    expect(readFaults(`advanced: { ${old}: 100 }`)).toEqual([
      `advanced.${old}: is called ${name} now. Rename it.`,
    ]);
    expect(Object.keys(advancedSettings)).toContain(name);
  });

  it('at its old place gives one error with both changes', () => {
    expect(readFaults('ledgerAskMs: 100')).toEqual([
      'ledgerAskMs: is called storePollMs now, and is under advanced. Write advanced: { storePollMs: ... }.',
    ]);
  });

  it.each([
    ['LEDGER_URL', 'DATABASE_URL'],
    ['ANSWER_KEY', 'COMPLETION_KEY'],
  ])('%s gives one error that names %s', (old, name) => {
    const loaded = loadConfig(null, { [old]: 'postgres://127.0.0.1/store' });
    expect(loaded).toEqual({ ok: false, fault: [`${old}: is called ${name} now. Rename it.`] });
  });

  it('ANSWER_KEY beside a shared store gives one error, without one for COMPLETION_KEY', () => {
    const shared = { DATABASE_URL: 'postgres://127.0.0.1/store', ANSWER_KEY: `0x${'ab'.repeat(32)}` };
    const loaded = loadConfig(null, { ...realChain, ...shared });
    expect(loaded).toEqual({ ok: false, fault: ['ANSWER_KEY: is called COMPLETION_KEY now. Rename it.'] });
  });

  it('is no error under its new name', () => {
    expect(readFaults('advanced: { storePollMs: 100 }')).toEqual([]);
  });
});
