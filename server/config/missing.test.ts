import { describe, expect, it } from 'vitest';
import { type Environment, environmentSettings } from './environment.ts';
import { loadConfig } from './load.ts';

const relayerKey = `0x${'1f'.repeat(32)}`;
const proofLedgerKey = `0x${'3d'.repeat(32)}`;
const payee = `0x${'33'.repeat(20)}`;

function listFaults(environment: Environment): readonly string[] {
  const loaded = loadConfig(null, environment);
  return loaded.ok ? [] : loaded.fault;
}

describe('A missing setting', () => {
  it('is named with its variable and an example', () => {
    const given = {
      PAY_TO: payee,
      RELAYER_KEY: relayerKey,
      PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:1',
      PROOF_LEDGER_KEY: proofLedgerKey,
    };
    const missing = (setting: string, variable: string, example: string) =>
      `${setting} (${variable}): is missing; set it, for example ${variable}=${example}`;
    expect(listFaults(given)).toEqual([
      missing('chain.rpcUrl', 'CHAIN_RPC_URL', 'https://node.example'),
      missing('chain.asset', 'TOKEN_ADDRESS', `0x${'12'.repeat(20)}`),
      missing('chain.tokenName', 'TOKEN_NAME', 'Dollar'),
      missing('proofLedger.chainId', 'PROOF_LEDGER_CHAIN_ID', '31740'),
      missing('proofLedger.contract', 'PROOF_LEDGER_CONTRACT', `0x${'56'.repeat(20)}`),
    ]);
  });

  it('gets another error than a wrong setting, which gets the valid values', () => {
    const faults = listFaults({ PAY_TO: 'me', CHAIN_RPC_URL: 'ftp://node.example', TOKEN_ADDRESS: '0x12' });
    const told = (setting: string) => faults.filter((fault) => fault.startsWith(`${setting} (`));
    for (const setting of ['chain.payTo', 'chain.rpcUrl', 'chain.asset'])
      expect(told(setting)).toEqual([expect.not.stringContaining('is missing')]);
    expect(told('chain.tokenName')).toEqual([expect.stringContaining('is missing')]);
  });

  it('has a valid example: all examples together are valid settings', () => {
    const given = Object.entries(environmentSettings).flatMap(([name, setting]) =>
      'example' in setting ? [[name, setting.example]] : [],
    );
    expect(given.length).toBeGreaterThan(0);
    expect(listFaults({ ...Object.fromEntries(given), PROOF_LEDGER_KEY: proofLedgerKey })).toEqual([]);
  });
});
