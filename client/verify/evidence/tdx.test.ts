import qvl from '@phala/dcap-qvl';
import { sha256 } from 'ethers';
import { describe, expect, test } from 'vitest';
import { readRecorded } from '../../testing/judge.ts';
import { readRecordedQuote, recordedQuoteAt } from '../../testing/recorded.ts';
import { crlFault } from './crl.ts';
import { platformFault } from './tdx.ts';
import { intelRoot, readPem } from './tdx-collateral.ts';

const { quote, reportData: carried, collateral: recorded } = readRecordedQuote();

function judged(
  change: { readonly evidence?: Buffer; readonly collateral?: object; readonly nowSeconds?: number } = {},
  reportData: Buffer = carried,
) {
  const { evidence = quote, collateral = {}, nowSeconds = recordedQuoteAt } = change;
  const trust = { tdxCollateral: { ...recorded, ...collateral } };
  return readRecorded({ format: 'tdx-quote', evidence }, reportData, nowSeconds, trust);
}

describe('A recorded TDX quote', () => {
  test("is true with Intel's collateral of its time", async () => {
    const { verdict, sentence, hardware, measurements } = await judged();
    expect([verdict, sentence, hardware]).toEqual([
      'true',
      'Intel attests a trust domain with this key (its platform is UpToDate)',
      true,
    ]);
    expect(measurements['MRTD']).toBe(quote.subarray(48 + 136, 48 + 184).toString('hex'));
    expect(measurements['RTMR2']).toBe(quote.subarray(48 + 424, 48 + 472).toString('hex'));
  });

  test('carries its own report data and no other', async () => {
    expect(await judged({}, Buffer.alloc(64))).toMatchObject({
      verdict: 'false',
      sentence: 'the TDX quote was made for another key, proof ledger or nonce',
    });
  });

  test.each([
    ['a measurement', 48 + 136, /^the TDX quote is invalid: ISV enclave report signature is invalid$/],
    ['its signature', 48 + 584 + 4 + 3, /^the TDX quote is invalid: /],
    ['its attestation key', 48 + 584 + 4 + 64 + 3, /^the TDX quote is invalid: /],
    ["the quoting enclave's report", 48 + 584 + 4 + 128 + 6 + 100, /^the TDX quote is invalid: /],
  ])('is false when a byte of %s was changed', async (_, at, sentence) => {
    const evidence = Buffer.from(quote);
    evidence.writeUInt8(evidence.readUInt8(at) ^ 1, at);
    expect(await judged({ evidence })).toMatchObject({
      verdict: 'false',
      sentence: expect.stringMatching(sentence),
    });
  });

  test('is false when cut off or of another kind', async () => {
    for (const evidence of [quote.subarray(0, 100), Buffer.alloc(2_000), Buffer.from('no quote')]) {
      expect(await judged({ evidence })).toMatchObject({
        verdict: 'false',
        sentence: 'the evidence is not a TDX quote',
      });
    }
  });

  test('is unknown with collateral of another time', async () => {
    const later = await judged({ nowSeconds: Date.parse('2025-09-01') / 1000 });
    expect(later).toMatchObject({
      verdict: 'unknown',
      sentence: expect.stringMatching(/invalid or out of date: it expired/),
    });
  });

  test('is false once the certificate of its processor has expired', async () => {
    expect(await judged({ nowSeconds: Date.parse('2040-01-01') / 1000 })).toMatchObject({
      verdict: 'false',
      sentence: expect.stringMatching(/^the TDX quote is invalid: the certificate of .* expired at /),
    });
  });

  test.each([
    ['of a revocation list', 'pck_crl', /the list of revoked certificates is not signed by its issuer$/],
    [
      "of the root's revocation list",
      'root_ca_crl',
      /the list of revoked certificates is not signed by its issuer$/,
    ],
  ] as const)('is unknown when a byte was changed %s', async (_, name, sentence) => {
    const list = Buffer.from(String(recorded[name]), 'hex');
    const at = list.length - 10;
    list.writeUInt8(list.readUInt8(at) ^ 1, at);
    const finding = await judged({ collateral: { [name]: list.toString('hex') } });
    expect(finding).toMatchObject({ verdict: 'unknown', sentence: expect.stringMatching(sentence) });
  });

  test("is false when Intel's data on its patch level was changed", async () => {
    const tcb_info = recorded.tcb_info.replace('UpToDate', 'OutOfDate');
    expect(await judged({ collateral: { tcb_info } })).toMatchObject({
      verdict: 'false',
      sentence: 'the TDX quote is invalid: Signature is invalid for tcb_info',
    });
  });

  test('is unknown with an invalid revocation list, or without collateral', async () => {
    for (const collateral of [{ pck_crl: '' }, { pck_crl: '3003020101' }, { tcb_info: 'no JSON' }]) {
      expect(await judged({ collateral })).toMatchObject({ verdict: 'unknown' });
    }
  });
});

test('platformFault rejects an outdated platform and a module of another signer', () => {
  const module = { mrSignerSeam: Buffer.alloc(48), seamAttributes: Buffer.alloc(8) };
  for (const status of ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded']) {
    expect(platformFault(status, [], module)).toBeNull();
  }
  expect(platformFault('OutOfDate', ['INTEL-SA-01245'], module)).toBe(
    'the TDX platform is OutOfDate (INTEL-SA-01245)',
  );
  expect(platformFault('OutOfDateConfigurationNeeded', [], module)).toMatch(/^the TDX platform is OutOfDate/);
  for (const other of [{ mrSignerSeam: Buffer.alloc(48, 1) }, { seamAttributes: Buffer.alloc(8, 1) }]) {
    expect(platformFault('UpToDate', [], { ...module, ...other })).toBe("the TDX module is not Intel's");
  }
});

test('crlFault accepts a revocation list within its period and of its issuer only', () => {
  const list = Buffer.from(String(recorded.pck_crl), 'hex');
  const [issuer, root] = readPem(recorded.pck_crl_issuer_chain);
  if (issuer === undefined || root === undefined) throw new Error('The collateral has no certificate chain');
  expect(crlFault(list, issuer.publicKey, recordedQuoteAt)).toBeNull();
  for (const days of [-365, 365]) {
    expect(crlFault(list, issuer.publicKey, recordedQuoteAt + days * 86_400)).toMatch(
      /^the list of revoked certificates is valid from 2025-06-.*Z to 2025-07-.*Z$/,
    );
  }
  expect(crlFault(list, root.publicKey, recordedQuoteAt)).toMatch(/is not signed by its issuer$/);
});

test('The pinned root equals the root of the quote verifier', () => {
  expect(sha256(qvl.constants.TRUSTED_ROOT_CA_DER)).toBe(`0x${intelRoot}`);
});
