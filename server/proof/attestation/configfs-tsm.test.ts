import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeKernel, type KernelScript } from '../../testing/attestation/fake-kernel.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { manualClock } from '../../types/clock.ts';
import { createTsmProvider } from './configfs-tsm.ts';
import { snpReport, tdxQuote } from './testing/reports.ts';
import { tsmFiles } from './tsm-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-tsm-'));
});
afterEach(() => {
  // Whatever happened, the kernel is left without an entry of ours.
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

const tdx: KernelScript = { provider: 'tdx_guest', outblob: (data) => tdxQuote(data) };
const snp: KernelScript = { provider: 'sev_guest', outblob: (data) => snpReport(data) };
const clock = manualClock(1_700_000_000);

function providerOf(script: KernelScript, timeoutMs = 5_000) {
  const files = fakeKernel(script);
  return { files, provider: createTsmProvider({ folder, timeoutMs, clock, files }) };
}

async function faultOf(script: KernelScript) {
  const made = await providerOf(script).provider.attest(ourReportData);
  return made.ok ? null : made.fault;
}

describe('A report of the kernel', () => {
  it('of TDX is the quote for our report data, with its registers by their names', async () => {
    const { provider, files } = providerOf(tdx);
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

  it('of TDX may be of version 5 of the quote', async () => {
    const outblob = (data: Buffer) => tdxQuote(data, { version: 5 });
    const made = await providerOf({ ...tdx, outblob }).provider.attest(ourReportData);
    expect(made).toMatchObject({ ok: true, value: { measurements: { MRTD: 'a0'.repeat(48) } } });
  });

  it('of SEV-SNP is the report for our report data, with the certificates that came with it', async () => {
    const { provider } = providerOf({ ...snp, auxblob: Buffer.from('certificate table') });
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

  it('has no certificates where the host gave none', async () => {
    const made = await providerOf({ ...snp, auxblob: Buffer.of() }).provider.attest(ourReportData);
    expect(made.ok && Object.keys(made.value)).not.toContain('certificates');
  });

  it('under a paravisor is asked for at the level that the kernel says is ours', async () => {
    const { provider, files } = providerOf({ ...snp, privlevelFloor: 2 });
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
    expect(files.writes).toEqual([
      ['privlevel', Buffer.from('2').toString('hex')],
      ['inblob', Buffer.from(ourReportData).toString('hex')],
    ]);
  });

  it('without a paravisor needs no level', async () => {
    const { provider, files } = providerOf({ ...snp, privlevelFloor: 0 });
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
    expect(files.writes.map(([attribute]) => attribute)).toEqual(['inblob']);
  });

  it('is made in an entry of its own each time, one after the other', async () => {
    const { provider, files } = providerOf(tdx);
    await provider.attest(ourReportData);
    await provider.attest(otherData);
    expect(new Set(files.entries).size).toBe(2);
  });
});

describe('A report is refused', () => {
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
    ['garbage', { ...tdx, outblob: () => Buffer.from('garbage') }, 'no tdx-quote'],
    [
      'a quote cut short',
      { ...tdx, outblob: (data: Buffer) => tdxQuote(data).subarray(0, 600) },
      'no tdx-quote',
    ],
    [
      'a byte too many',
      { ...snp, outblob: (data: Buffer) => Buffer.concat([snpReport(data), Buffer.of(0)]) },
      'no sev-snp-report',
    ],
    ['nothing at all', { ...snp, outblob: () => Buffer.of() }, 'no sev-snp-report'],
    [
      "another hardware's quote",
      { ...snp, outblob: (data: Buffer) => tdxQuote(data).subarray(0, 500) },
      'no sev-snp-report',
    ],
    ['too much', { ...tdx, outblob: () => Buffer.alloc(65_537) }, 'larger than 65536 bytes'],
    ['a provider that nobody knows', { ...tdx, provider: 'acme_guest' }, '"acme_guest" is not known'],
  ] satisfies Array<[string, KernelScript, string]>)('with %s', async (_name, script, sentence) => {
    expect(await faultOf(script)).toEqual({ isAbsent: false, message: expect.stringContaining(sentence) });
  });

  function flipped(reportData: Buffer): Buffer {
    const quote = tdxQuote(reportData);
    quote.writeUInt8(quote.readUInt8(48 + 520) ^ 1, 48 + 520);
    return quote;
  }
});

describe('When others write to our entry', () => {
  it('the report is made again, in another entry', async () => {
    const { provider, files } = providerOf({ ...tdx, interleaved: 2 });
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
    expect(new Set(files.entries).size).toBe(3);
  });

  it('and do not stop, it is given up', async () => {
    const { provider, files } = providerOf({ ...tdx, interleaved: 99 });
    const message = 'somebody else keeps writing to our report entry';
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: { isAbsent: false, message } });
    expect(files.entries).toHaveLength(3);
  });

  it('but the kernel did not take what we wrote, that is another fault', async () => {
    const message = 'the kernel did not take the report data';
    expect(await faultOf({ ...tdx, ignoresWrites: true })).toEqual({ isAbsent: false, message });
  });
});

describe('Trouble of the kernel is one sentence', () => {
  it.each([
    ['without hardware behind the interface', { entry: 'ENXIO' }, true, 'no provider'],
    ['without the right to ask', { entry: 'EACCES' }, false, 'cannot be made (EACCES)'],
    ['when the report data cannot be written', { inblob: 'EBUSY' }, false, 'refused a report (EBUSY)'],
    ['when the hardware refuses', { outblob: 'EIO' }, false, 'refused a report (EIO)'],
    ['when the certificates cannot be read', { auxblob: 'EFBIG' }, false, 'refused a report (EFBIG)'],
    ['when the generation cannot be read', { generation: 'EIO' }, false, 'refused a report (EIO)'],
  ])('%s', async (_name, errors, isAbsent, sentence) => {
    expect(await faultOf({ ...tdx, errors })).toEqual({
      isAbsent,
      message: expect.stringContaining(sentence),
    });
  });

  it('where there is no such interface', async () => {
    const missing = join(folder, 'missing');
    const made = await createTsmProvider({ folder: missing, timeoutMs: 1_000, clock }).attest(ourReportData);
    expect(made).toEqual({ ok: false, fault: { isAbsent: true, message: `there is no ${missing}` } });
  });
});

describe('Hardware that hangs', () => {
  it('is waited for until the deadline, and holds one call of ours, not more', async () => {
    const hold = Promise.withResolvers<void>();
    const { provider, files } = providerOf({ ...tdx, hold: hold.promise }, 20);
    const late = { isAbsent: false, message: 'no report within 20 ms' };
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: late });
    const stuck = { isAbsent: false, message: 'an earlier report is still being made' };
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: stuck });
    hold.resolve();
    await files.removed;
    expect(files.entries).toHaveLength(1);
  });

  it('and comes back, is asked again', async () => {
    const hold = Promise.withResolvers<void>();
    const { provider, files } = providerOf({ ...tdx, hold: hold.promise }, 1_000);
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: false });
    hold.resolve();
    await files.removed;
    await new Promise(setImmediate);
    expect(await provider.attest(ourReportData)).toMatchObject({ ok: true });
  });
});

describe('The file operations', () => {
  it('read to the end whatever size a file claims, and no further than they may', async () => {
    // A file of the kernel whose size is 0 and whose content is not.
    expect(Buffer.from((await tsmFiles.read('/proc/self/comm', 4_096)) ?? '').length).toBeGreaterThan(0);
    expect(await tsmFiles.read('/proc/self/status', 16)).toBeNull();
  });
});
