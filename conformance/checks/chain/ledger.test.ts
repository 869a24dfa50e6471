import { requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { idsOf, judged } from '../../testing/judged.ts';
import { ledgerMutants } from '../../testing/network-mutants.ts';
import { type NetworkEdits, startNetworks } from '../../testing/networks.ts';

async function judgedOn(edits: NetworkEdits, options = {}) {
  await using gateway = await startFakeTarget();
  await using networks = await startNetworks(gateway.url, edits);
  const target = { ...gateway, url: networks.url };
  return await judged(target, {
    profiles: ['paid'],
    filter: 'ledger.',
    ledgerRpcUrl: networks.ledgerRpcUrl,
    sleep: async () => {},
    ...options,
  });
}

const modes = [
  'ledger.batch.recorded',
  'ledger.default.batch',
  'ledger.individual.recorded',
  'ledger.private.unrecorded',
];
const proofs = ['ledger.proof.hashes', 'ledger.proof.key', 'ledger.proof.signature'];

describe('a proof', () => {
  it('is verified, and found on the ledger as its settlement type says', async () => {
    const report = await judgedOn({});
    expect(idsOf(report, 'pass')).toEqual([...modes, ...proofs].sort());
    expect(idsOf(report, 'observed')).toEqual(['ledger.proof']);
    expect(report).toMatchObject({
      verdict: 'conformant',
      profiles: ['paid', 'ledger'],
      must: { verified: modes.length, total: modes.length },
    });
  });

  it.each(ledgerMutants)('is found out: $id', async ({ edits, kills }) => {
    const report = await judgedOn({ ledger: edits });
    expect(idsOf(report, 'fail', 'warn')).toEqual([...kills].sort());
    expect(idsOf(report, 'warn')).toEqual(kills.filter((id) => requirements[id].level === 'SHOULD').sort());
    expect(idsOf(report, 'error')).toEqual([]);
  });

  it('of a key that was revoked afterwards is good', async () => {
    const report = await judgedOn({ ledger: { keyRevokedAt: 1_800_000_000 } });
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
  });
});

describe('a settlement type', () => {
  it('that nothing is recorded of yet is inconclusive, private too: no time is shown', async () => {
    const report = await judgedOn({ ledger: { recordsAs: () => 'nothing' } });
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual(modes);
    expect(report.exitCode).toBe(3);
  });

  it('batch cannot be followed where the gateway does not tell how its proofs stand', async () => {
    const report = await judgedOn({ isSilentOnProofs: true });
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual(['ledger.batch.recorded', 'ledger.default.batch']);
  });
});

describe('a gateway without such proofs', () => {
  it.each([
    ['none at all', () => undefined],
    ['some of another form', () => Buffer.from('{"proof":1}').toString('base64')],
  ])('has nothing held against it: %s', async (_, proofHeader) => {
    const report = await judgedOn({ proofHeader });
    expect(idsOf(report, 'fail', 'warn', 'inconclusive', 'pass', 'error')).toEqual([]);
    expect(idsOf(report, 'not-applicable')).toEqual([...modes, ...proofs].sort());
    expect(idsOf(report, 'observed')).toEqual(['ledger.proof']);
  });

  it('nor has one whose ledger the given node is not of', async () => {
    const report = await judgedOn({ ledger: { chainId: 1 } });
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual([...modes, ...proofs].sort());
  });
});
