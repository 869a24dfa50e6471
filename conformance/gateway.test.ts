import { resolve } from 'node:path';
import { Contract, JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devnetCaps } from './cli/devnet.ts';
import { profilesOfAll } from './engine/scope.ts';
import { readKeyFile } from './payment/key.ts';
import { judge } from './suite/judge.ts';
import { countAll } from './testing/expected.ts';
import { type GatewayProcess, startGateway, stopGateway } from './testing/gateway-process.ts';
import { listIds } from './testing/judged.ts';
import { memoryJournal } from './testing/memory-journal.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => stopGateway(gateway), 30_000);

// Both runs wait: one for its proofs, which a batch records after ten seconds.
describe.concurrent('the reference gateway', () => {
  it('is conformant with all three profiles, also by chain and ledger', {
    timeout: 180_000,
  }, async () => {
    const { folder, ready } = gateway;
    const key = readKeyFile(resolve(folder, ready.payer.keyFile));
    if (!key.ok) throw new Error(key.fault);
    const before = await unitsOfPayer();
    const judged = await judge({
      targetUrl: ready.url,
      profiles: profilesOfAll,
      filter: undefined,
      chainRpcUrl: ready.chain.rpcUrl,
      ledgerRpcUrl: ready.proofLedger.rpcUrl,
      funded: { privateKey: key.privateKey, caps: devnetCaps, journal: memoryJournal() },
    });
    if (!judged.ok) throw new Error(judged.usage);
    const { report } = judged;
    const open = report.results.filter(({ outcome }) =>
      ['fail', 'warn', 'inconclusive', 'error'].includes(outcome),
    );
    expect(open.map(({ requirement, outcome, detail }) => `${outcome} ${requirement}: ${detail}`)).toEqual(
      [],
    );
    expect(listIds(report, 'pass')).toContain('receipt.txHash');
    // The gateway accepts a tool result without a call (D-96).
    expect(
      report.results.find(({ requirement }) => requirement === 'body.message.tool_call_id.matching'),
    ).toMatchObject({ outcome: 'observed', detail: 'another id: 402' });
    expect(report).toMatchObject({
      verdict: 'conformant',
      exitCode: 0,
      must: countAll({ profiles: profilesOfAll, nodes: ['chain', 'ledger'] }),
    });
    expect(BigInt(report.spent.settledUnits)).toBeGreaterThan(0n);
    // The settled amount of the report equals the decrease of the payer's balance on the chain.
    expect(before - (await unitsOfPayer())).toBe(BigInt(report.spent.settledUnits));
  });
});

describe.concurrent('the reference gateway with the smallest limits on bodies that its settings allow', () => {
  it('is conformant', { timeout: 120_000 }, async () => {
    const small = await startGateway(smallestLimits);
    try {
      const judged = await judge({ targetUrl: small.ready.url, profiles: ['free'], filter: undefined });
      if (!judged.ok) throw new Error(judged.usage);
      expect(judged.report).toMatchObject({ verdict: 'conformant', must: countAll({ profiles: ['free'] }) });
    } finally {
      await stopGateway(small);
    }
  });
});

const smallestLimits = `advanced:
  addressRateLimit: null
  bodyBytesMax: 1024
  jsonDepthMax: 16
  jsonValuesMax: 1000
  messagesMax: 8
  toolsMax: 4
`;

describe.concurrent('the reference gateway with the profile limits', () => {
  it('returns a 429 as in the contract', { timeout: 120_000 }, async () => {
    const limited = await startGateway(
      'advanced: { addressRateLimit: { requestsMax: 30, windowSeconds: 600 } }\n',
    );
    try {
      const judged = await judge({
        targetUrl: limited.ready.url,
        profiles: ['limits'],
        filter: undefined,
        isOwnTarget: true,
      });
      if (!judged.ok) throw new Error(judged.usage);
      const { report } = judged;
      expect(listIds(report, 'pass')).toEqual(['error.429.code', 'error.429.envelope', 'error.429.type']);
      expect(listIds(report, 'observed')).toEqual(['error.oversized', 'rate-limit.headers']);
      expect(report).toMatchObject({ verdict: 'conformant', must: countAll({ profiles: ['limits'] }) });
      expect(report.results.find(({ requirement }) => requirement === 'error.oversized')?.detail).toContain(
        '413',
      );
    } finally {
      await stopGateway(limited);
    }
  });
});

async function unitsOfPayer(): Promise<bigint> {
  const { ready } = gateway;
  const provider = new JsonRpcProvider(ready.chain.rpcUrl);
  try {
    const token = new Contract(
      ready.token.address,
      ['function balanceOf(address) view returns (uint256)'],
      provider,
    );
    return await token.getFunction('balanceOf')(ready.payer.address);
  } finally {
    provider.destroy();
  }
}
