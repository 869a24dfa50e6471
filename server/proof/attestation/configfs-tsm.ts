import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../types/clock.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import { acceptReport, type HardwareFormat } from './hardware-report.ts';
import { type AttestationProvider, absent, failed, type Report, type ReportFault } from './provider.ts';
import { type TsmFiles, tsmFiles } from './tsm-files.ts';

export type TsmOptions = {
  /** The folder of the kernel's report interface. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly files?: TsmFiles;
};

/** A TDX quote has about 5 kB, an SNP report with its certificates about 20 kB. */
const blobBytesMax = 65_536;
const textBytesMax = 4_096;
/** How often a report is made when another process writes to its entry. The name of the entry is random. */
const attemptsMax = 3;

/** The format of the report, by the kernel's name of the provider. */
const formats = new Map<string, HardwareFormat>([
  ['tdx_guest', 'tdx-quote'],
  ['sev_guest', 'sev-snp-report'],
]);

type Attempt = Result<Report, ReportFault | 'interleaved'>;

/**
 * Gets reports of Intel TDX and AMD SEV-SNP from the Linux kernel's configfs-tsm (6.7 and later), through plain
 * files.
 * @see https://docs.kernel.org/ABI/testing/configfs-tsm-report
 */
export function createTsmProvider({
  folder,
  timeoutMs,
  clock,
  files = tsmFiles,
}: TsmOptions): AttestationProvider {
  let isUnderWay = false;

  return {
    kind: 'configfs-tsm',
    hardware: true,
    concurrentMax: 1,
    async attest(reportData) {
      // A read that blocks in the kernel holds a thread that cannot be cancelled, so at most one runs.
      if (isUnderWay) return fail(failed('an earlier report is still in progress'));
      isUnderWay = true;
      const work = attempts(reportData).finally(() => {
        isUnderWay = false;
      });
      return within(timeoutMs, work);
    },
  };

  async function attempts(reportData: Uint8Array): Promise<Result<Report, ReportFault>> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const made = await makeReport(reportData);
      if (made.ok) return made;
      if (made.fault !== 'interleaved') return fail(made.fault);
    }
    return fail(failed('another process keeps writing to the report entry'));
  }

  /** Makes a new entry and always removes it, because the kernel keeps an abandoned entry until it restarts. */
  async function makeReport(reportData: Uint8Array): Promise<Attempt> {
    const entry = join(folder, `paid-inference-${randomBytes(8).toString('hex')}`);
    try {
      await files.makeEntry(entry);
    } catch (cause) {
      const code = readCode(cause);
      if (code === 'ENOENT') return fail(absent(`${folder} does not exist`));
      // The interface exists without hardware.
      if (code === 'ENXIO') return fail(absent(`the kernel has no provider for ${folder}`));
      return fail(failed(`a report entry cannot be made (${code})`));
    }
    try {
      return await readReport(entry, reportData);
    } catch (cause) {
      return fail(failed(`the kernel refused a report (${readCode(cause)})`));
    } finally {
      await files.removeEntry(entry).catch(() => undefined);
    }
  }

  async function readReport(entry: string, reportData: Uint8Array): Promise<Attempt> {
    const before = await generation(files, entry);
    const floor = await privilegeFloor(files, entry);
    if (floor !== null) await files.write(join(entry, 'privlevel'), Buffer.from(floor));
    await files.write(join(entry, 'inblob'), reportData);
    const provider = await text(files, entry, 'provider');
    const evidence = await files.read(join(entry, 'outblob'), blobBytesMax);
    const certificates = await optional(files.read(join(entry, 'auxblob'), blobBytesMax));
    if (evidence === null) return fail(failed(`the report is larger than ${blobBytesMax} bytes`));
    const written = (await generation(files, entry)) - before;
    const expected = floor === null ? 1n : 2n;
    if (written < expected) return fail(failed('the kernel ignored the report data'));
    if (written > expected) return fail('interleaved');

    const format = formats.get(provider);
    if (format === undefined) return fail(failed(`the kernel's provider "${provider}" is not supported`));
    const report = acceptReport(format, evidence, reportData, clock.nowSeconds());
    if (!report.ok || certificates === null || certificates.length === 0) return report;
    return ok({ ...report.value, certificates });
  }
}

/** The guest's privilege level, which a report under a paravisor must name; null elsewhere. */
async function privilegeFloor(files: TsmFiles, entry: string): Promise<string | null> {
  const content = await optional(files.read(join(entry, 'privlevel_floor'), textBytesMax));
  const floor = content === null ? '0' : Buffer.from(content).toString().trim();
  return floor === '0' ? null : floor;
}

async function generation(files: TsmFiles, entry: string): Promise<bigint> {
  const count = await text(files, entry, 'generation');
  if (!/^\d{1,20}$/.test(count)) throw new Error('the generation is not a number');
  return BigInt(count);
}

async function text(files: TsmFiles, entry: string, attribute: string): Promise<string> {
  const content = await files.read(join(entry, attribute), textBytesMax);
  return Buffer.from(content ?? '')
    .toString()
    .trim();
}

/** Null for an attribute that this kernel or this provider does not have. */
async function optional<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (cause) {
    if (readCode(cause) === 'ENOENT') return null;
    throw cause;
  }
}

/** Stops waiting at the timeout. The work itself goes on and cleans up after itself. */
async function within(
  timeoutMs: number,
  work: Promise<Result<Report, ReportFault>>,
): Promise<Result<Report, ReportFault>> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Result<Report, ReportFault>>((resolve) => {
    timer = setTimeout(() => resolve(fail(failed(`no report within ${timeoutMs} ms`))), timeoutMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function readCode(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
