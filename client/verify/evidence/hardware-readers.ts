import type { EvidenceCase, EvidenceFinding, EvidenceReader, HardwareCase } from './evidence-case.ts';

/** Readers of hardware evidence by `Attestation.format`. They need `node:crypto`, which browsers lack. */
export const hardwareReaders: Readonly<Record<string, () => Promise<EvidenceReader>>> = {
  'tdx-quote': async () => withBuffers((await import('./tdx.ts')).readTdxQuote),
  'nitro-document': async () => withBuffers((await import('./nitro.ts')).readNitroDocument),
  'sev-snp-report': async () => withBuffers((await import('./sev-snp.ts')).readSnpReport),
  jwt: async () => withBuffers((await import('./token.ts')).readToken),
};

function withBuffers(
  read: (given: HardwareCase) => Promise<EvidenceFinding> | EvidenceFinding,
): EvidenceReader {
  return ({ evidence, certificates, reportData, ...rest }: EvidenceCase) =>
    read({
      ...rest,
      evidence: Buffer.from(evidence),
      certificates: certificates && Buffer.from(certificates),
      reportData: Buffer.from(reportData),
    });
}
