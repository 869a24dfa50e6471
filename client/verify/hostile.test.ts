import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import { encodeInferenceProof } from '@paid-inference/contract/headers';
import type { LedgerDomain, SavedExchange } from '@paid-inference/contract/types';
import { describe, expect, test } from 'vitest';
import { readExchange } from '../saved-exchange.ts';
import { manualClock } from '../testing/clock.ts';
import { completionFor, testModel } from '../testing/completions.ts';
import { type Attester, createEnclave, software } from '../testing/enclave.ts';
import { readRecorded } from '../testing/judge.ts';
import { createNitro } from '../testing/nitro.ts';
import { createRecord } from '../testing/proven.ts';
import {
  certificateTable,
  readRecordedQuote,
  readRecordedReport,
  recordedQuoteAt,
  recordedReportAt,
} from '../testing/recorded.ts';
import { createTokenService, tokenIssuedAt } from '../testing/token.ts';
import type { AttestationTrust } from './evidence/evidence-case.ts';
import { computeReportData, zeroNonce } from './report-data.ts';
import { verifyExchange } from './verify-exchange.ts';

// Whatever a file says, a verification ends with verdicts and never rejects.

const at = tokenIssuedAt;
const ledger: LedgerDomain = {
  name: ledgerDomainName,
  version: ledgerDomainVersion,
  chainId: 31_740,
  verifyingContract: '0xdddddddddddddddddddddddddddddddddddddddd',
};
const nitro = await createNitro({ at });
const service = await createTokenService();
const trust: AttestationTrust = { nitroRoots: [nitro.root], tokenKeys: service.keys };
const attesters: readonly (readonly [string, Attester])[] = [
  ['software', software],
  ['AWS Nitro', nitro.attester],
  ['Confidential Space', service.attester()],
];

async function saved(attester: Attester): Promise<SavedExchange> {
  const enclave = await createEnclave(ledger, attester);
  const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'ping' }] });
  const completion = completionFor('/v1/chat/completions', body);
  const [request, response] = [JSON.parse(body), JSON.parse(completion)];
  const of = { request, response, model: testModel, settlementType: 'batch', timestamp: at } as const;
  const proof = await enclave.prove(of);
  return {
    format: 'paid-inference/exchange/v1',
    request: { method: 'POST', url: 'http://gateway.test/v1/chat/completions', headers: {}, body },
    response: {
      status: 200,
      headers: { 'x-inference-proof': encodeInferenceProof(proof) },
      body: completion,
    },
    attestation: enclave.boot,
    proof: createRecord(proof, 'pending'),
  };
}

async function verdicts(exchange: SavedExchange): Promise<Record<string, string>> {
  const options = { gatewayUrl: null, clock: manualClock(at + 10), attestation: { trust } };
  const { steps } = await verifyExchange(exchange, options);
  return Object.fromEntries(steps.map(({ step, verdict }) => [step, verdict]));
}

describe.each(attesters)('With evidence of %s', (_, attester) => {
  test('hashes, signature and attestation of an unchanged exchange are true', async () => {
    const expected = { hashes: 'true', signature: 'true', attestation: 'true' };
    expect(await verdicts(await saved(attester))).toMatchObject(expected);
  });

  test('a file with one changed character gives verdicts or is not an exchange', async () => {
    const text = JSON.stringify(await saved(attester));
    const random = randomNumbers(1);
    for (let round = 0; round < 150; round++) {
      const place = Math.floor(random() * text.length);
      const other = String.fromCharCode(32 + Math.floor(random() * 95));
      const read = readExchange(text.slice(0, place) + other + text.slice(place + 1));
      if (read.ok) expect(Object.values(await verdicts(read.exchange))).toContain('unknown');
    }
  });

  test('attestation is false when one byte of the evidence changed', async () => {
    const exchange = await saved(attester);
    const { attestation } = exchange;
    if (attestation === undefined) throw new Error('The exchange has no attestation');
    for (const evidence of damaged(Buffer.from(attestation.evidence, 'base64'), 3)) {
      const other = { ...attestation, evidence: evidence.toString('base64') };
      expect(await verdicts({ ...exchange, attestation: other })).toMatchObject({ attestation: 'false' });
    }
  });
});

describe('Damaged evidence with a valid hash gives a verdict:', () => {
  test.each(attesters)('%s', async (_, attester) => {
    const { boot } = await createEnclave(ledger, attester);
    const reportData = computeReportData(boot.publicKey, ledger, zeroNonce);
    for (const evidence of damaged(Buffer.from(boot.evidence, 'base64'), 4)) {
      const found = await readRecorded({ format: boot.format, evidence }, reportData, at, trust);
      expect(['true', 'false', 'unknown']).toContain(found.verdict);
    }
  });

  test('Intel TDX', async () => {
    const { quote, reportData, collateral } = readRecordedQuote();
    for (const evidence of damaged(quote, 5)) {
      const given = { format: 'tdx-quote', evidence };
      const found = await readRecorded(given, reportData, recordedQuoteAt, { tdxCollateral: collateral });
      expect(['true', 'false', 'unknown']).toContain(found.verdict);
    }
  });

  test('AMD SEV-SNP, with damaged certificates too', async () => {
    const { report, reportData, vcek, ask, ark } = readRecordedReport('sev-snp.json');
    const table = certificateTable([vcek, ask, ark]);
    for (const evidence of damaged(report, 6)) {
      const given = { format: 'sev-snp-report', evidence, certificates: table };
      const found = await readRecorded(given, reportData, recordedReportAt);
      expect(['true', 'false', 'unknown']).toContain(found.verdict);
    }
    for (const certificates of damaged(table, 7)) {
      const given = { format: 'sev-snp-report', evidence: report, certificates };
      const found = await readRecorded(given, reportData, recordedReportAt);
      expect(['false', 'unknown']).toContain(found.verdict);
    }
  });
});

/** Copies of the bytes with one byte changed. Every fourth copy is cut off there. */
function damaged(bytes: Buffer, seed: number): Buffer[] {
  const random = randomNumbers(seed);
  return Array.from({ length: 100 }, (_, round) => {
    const copy = Buffer.from(bytes);
    const place = Math.floor(random() * copy.length);
    copy[place] = (copy[place] ?? 0) ^ (1 + Math.floor(random() * 255));
    return round % 4 === 0 ? copy.subarray(0, place) : copy;
  });
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
