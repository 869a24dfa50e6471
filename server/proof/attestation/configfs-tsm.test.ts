import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeKernel, type KernelScript } from '../../testing/attestation/fake-kernel.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { snpReport, tdxQuote } from '../../testing/attestation/reports.ts';
import { manualClock } from '../../types/clock.ts';
import { createTsmProvider } from './configfs-tsm.ts';
import { tsmFiles } from './tsm-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-tsm-'));
});
afterEach(() => {
  // Every test must leave no report entry in the kernel's folder.
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

const tdx: KernelScript = { provider: 'tdx_guest', outblob: (data) => tdxQuote(data) };
const snp: KernelScript = { provider: 'sev_guest', outblob: (data) => snpReport(data) };
const clock = manualClock(1_700_000_000);

function openProvider(script: KernelScript, timeoutMs = 5_000) {
  const files = fakeKernel(script);
  return { files, provider: createTsmProvider({ folder, timeoutMs, clock, files }) };
}

async function findFault(script: KernelScript) {
  const made = await openProvider(script).provider.attest(ourReportData);
  return made.ok ? null : made.fault;
}

describe('A report of the kernel', () => {
  it('returns the TDX quote for the report data, with the named registers', async () => {
    const { provider, files } = openProvider(tdx);
    expect(await provider.attest(ourReportData)).toEqual({
      ok: true,
      value: {
        format: 'tdx-quote',
        evidence: tdxQuote(ourReportData),
        measurements: expect.objectContaining({
          MRTD: 'a0'.repeat(48),
          RTMR0: 'b0'.repeat(48),
          RTMR3: 'b3'.repeat(48),
        }),
        issuedAt: 1_700_000_000,
      },
    });
    expect(provider).toMatchObject({ kind: 'configfs-tsm', hardware: true });
    expect(files.entries).toHaveLength(1);
  });

  it('accepts version 5 of the TDX quote', async () => {
    const outblob = (data: Buffer) => tdxQuote(data, { version: 5 });
    const made = await openProvider({ ...tdx, outblob }).provider.attest(ourReportData);
    expect(made).toMatchObject({ ok: true, value: { measurements: { MRTD: 'a0'.repeat(48) } } });
  });

  it('returns the SEV-SNP report for the report data, with its certificates', async () => {
    const { provider } = openProvider({ ...snp, auxblob: Buffer.from('certificate table') });
    expect(await provider.attest(ourReportData)).toEqual({
      ok: true,
      value: {
        format: 'sev-snp-report',
        evidence: snpReport(ourReportData),
        certificates: Buffer.from('certificate table'),
        measurements: { MEASUREMENT: 'c1'.repeat(48), HOST_DATA: 'd1'.repeat(32) },
        issuedAt: 1_700_000_000,
      },
    });
  });

  it('has no certificates when the host returns none', async () => {
    const made = await openProvider({ ...snp, auxblob: Buffer.of() }).provider.attest(ourReportData);
    expect(made.ok && Object.keys(made.value)).not.toContain('certificates');
  });

  it('is requested at the privilege level of the guest under a paravisor', async () => {
    const { provider, files } = openProvider({ ...snp, privlevelFloor: 2 });
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
    expect(files.writes).toEqual([
      ['privlevel', Buffer.from('2').toString('hex')],
      ['inblob', Buffer.from(ourReportData).toString('hex')],
    ]);
  });

  it('is requested without a privilege level when there is no paravisor', async () => {
    const { provider, files } = openProvider({ ...snp, privlevelFloor: 0 });
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
    expect(files.writes.map(([attribute]) => attribute)).toEqual(['inblob']);
  });

  it('is made in a new entry each time', async () => {
    const { provider, files } = openProvider(tdx);
    await provider.attest(ourReportData);
    await provider.attest(otherData);
    expect(new Set(files.entries).size).toBe(2);
  });
});

describe('A report is rejected', () => {
  it.each([
    ["another machine's report data", { ...tdx, outblob: () => tdxQuote(otherData) }, 'other report data'],
    [
      "another report's report data of SEV-SNP",
      { ...snp, outblob: () => snpReport(otherData) },
      'other report data',
    ],
    ['one changed byte in the report data', { ...tdx, outblob: flipped }, 'other report data'],
    [
      'a debug domain',
      { ...tdx, outblob: (data: Buffer) => tdxQuote(data, { isDebug: true }) },
      'debug mode',
    ],
    [
      'a debug policy',
      { ...snp, outblob: (data: Buffer) => snpReport(data, { isDebug: true }) },
      'debug mode',
    ],
    ['garbage', { ...tdx, outblob: () => Buffer.from('garbage') }, 'not a tdx-quote'],
    [
      'a truncated quote',
      { ...tdx, outblob: (data: Buffer) => tdxQuote(data).subarray(0, 600) },
      'not a tdx-quote',
    ],
    [
      'one extra byte',
      { ...snp, outblob: (data: Buffer) => Buffer.concat([snpReport(data), Buffer.of(0)]) },
      'not a sev-snp-report',
    ],
    ['no bytes', { ...snp, outblob: () => Buffer.of() }, 'not a sev-snp-report'],
    [
      "another hardware's quote",
      { ...snp, outblob: (data: Buffer) => tdxQuote(data).subarray(0, 500) },
      'not a sev-snp-report',
    ],
    ['too many bytes', { ...tdx, outblob: () => Buffer.alloc(65_537) }, 'larger than 65536 bytes'],
    ['an unknown provider', { ...tdx, provider: 'acme_guest' }, '"acme_guest" is not supported'],
  ] satisfies Array<[string, KernelScript, string]>)('with %s', async (_name, script, sentence) => {
    expect(await findFault(script)).toEqual({ isAbsent: false, message: expect.stringContaining(sentence) });
  });

  function flipped(reportData: Buffer): Buffer {
    const quote = tdxQuote(reportData);
    quote.writeUInt8(quote.readUInt8(48 + 520) ^ 1, 48 + 520);
    return quote;
  }
});

describe('When another process writes to the report entry', () => {
  it('the provider makes the report again in another entry', async () => {
    const { provider, files } = openProvider({ ...tdx, interleaved: 2 });
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
    expect(new Set(files.entries).size).toBe(3);
  });

  it('three times, the provider returns a fault', async () => {
    const { provider, files } = openProvider({ ...tdx, interleaved: 99 });
    const message = 'another process keeps writing to the report entry';
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: { isAbsent: false, message } });
    expect(files.entries).toHaveLength(3);
  });

  it('the provider distinguishes that from report data that the kernel ignored', async () => {
    const message = 'the kernel ignored the report data';
    expect(await findFault({ ...tdx, ignoresWrites: true })).toEqual({ isAbsent: false, message });
  });
});

describe('A fault of the kernel is one sentence', () => {
  it.each([
    ['without hardware behind the interface', { entry: 'ENXIO' }, true, 'no provider'],
    ['without permission', { entry: 'EACCES' }, false, 'cannot be made (EACCES)'],
    ['when the report data cannot be written', { inblob: 'EBUSY' }, false, 'refused a report (EBUSY)'],
    ['when the hardware rejects', { outblob: 'EIO' }, false, 'refused a report (EIO)'],
    ['when the certificates cannot be read', { auxblob: 'EFBIG' }, false, 'refused a report (EFBIG)'],
    ['when the generation cannot be read', { generation: 'EIO' }, false, 'refused a report (EIO)'],
  ])('%s', async (_name, errors, isAbsent, sentence) => {
    expect(await findFault({ ...tdx, errors })).toEqual({
      isAbsent,
      message: expect.stringContaining(sentence),
    });
  });

  it('without the interface', async () => {
    const missing = join(folder, 'missing');
    const made = await createTsmProvider({ folder: missing, timeoutMs: 1_000, clock }).attest(ourReportData);
    expect(made).toEqual({ ok: false, fault: { isAbsent: true, message: `${missing} does not exist` } });
  });
});

describe('Hardware that does not respond', () => {
  it('causes a fault at the deadline, and blocks at most one call', async () => {
    const hold = Promise.withResolvers<void>();
    const { provider, files } = openProvider({ ...tdx, hold: hold.promise }, 20);
    const late = { isAbsent: false, message: 'no report within 20 ms' };
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: late });
    const stuck = { isAbsent: false, message: 'an earlier report is still in progress' };
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: stuck });
    hold.resolve();
    await files.removed;
    expect(files.entries).toHaveLength(1);
  });

  it('is called again once it responds', async () => {
    const hold = Promise.withResolvers<void>();
    const { provider, files } = openProvider({ ...tdx, hold: hold.promise }, 1_000);
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: false });
    hold.resolve();
    await files.removed;
    await new Promise(setImmediate);
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
  });
});

describe('The file operations', () => {
  it('read a whole file whatever its size field, and stop at the limit', async () => {
    // The kernel gives this file the size 0, although it has content.
    expect(Buffer.from((await tsmFiles.read('/proc/self/comm', 4_096)) ?? '').length).toBeGreaterThan(0);
    expect(await tsmFiles.read('/proc/self/status', 16)).toBeNull();
  });
});
