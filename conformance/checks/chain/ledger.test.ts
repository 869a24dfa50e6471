import { requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { ledgerMutants } from '../../testing/chain/network-mutants.ts';
import { type NetworkEdits, startNetworks } from '../../testing/chain/networks.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

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
  it('is verified, and found on the ledger according to its settlement type', async () => {
    const report = await judgedOn({});
    expect(listIds(report, 'pass')).toEqual([...modes, ...proofs].sort());
    expect(listIds(report, 'observed')).toEqual(['ledger.proof']);
    expect(report).toMatchObject({
      verdict: 'conformant',
      profiles: ['paid', 'ledger'],
      must: { verified: modes.length, total: modes.length },
    });
  });

  it.each(ledgerMutants)('fails for the mutant $id', async ({ edits, kills }) => {
    const report = await judgedOn({ ledger: edits });
    expect(listIds(report, 'fail', 'warn')).toEqual([...kills].sort());
    expect(listIds(report, 'warn')).toEqual(kills.filter((id) => requirements[id].level === 'SHOULD').sort());
    expect(listIds(report, 'error')).toEqual([]);
  });

  it('of a key that was revoked later is valid', async () => {
    const report = await judgedOn({ ledger: { keyRevokedAt: 1_800_000_000 } });
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
  });
});

describe('a settlement type', () => {
  it('without a record is inconclusive, also for private, because the contract gives no time limit', async () => {
    const report = await judgedOn({ ledger: { recordsAs: () => 'nothing' } });
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'inconclusive')).toEqual(modes);
    expect(report.exitCode).toBe(3);
  });

  it('batch is inconclusive if the gateway does not publish the state of its proofs', async () => {
    const report = await judgedOn({ isSilentOnProofs: true });
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'inconclusive')).toEqual(['ledger.batch.recorded', 'ledger.default.batch']);
  });
});

describe('a gateway without proofs of the reference form', () => {
  it.each([
    ['none at all', () => undefined],
    ['some in another form', () => Buffer.from('{"proof":1}').toString('base64')],
  ])('is not judged by ledger checks: %s', async (_, proofHeader) => {
    const report = await judgedOn({ proofHeader });
    expect(listIds(report, 'fail', 'warn', 'inconclusive', 'pass', 'error')).toEqual([]);
    expect(listIds(report, 'not-applicable')).toEqual([...modes, ...proofs].sort());
    expect(listIds(report, 'observed')).toEqual(['ledger.proof']);
  });

  it('is not judged either if the node belongs to another network', async () => {
    const report = await judgedOn({ ledger: { chainId: 1 } });
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'inconclusive')).toEqual([...modes, ...proofs].sort());
  });
});
