import { type EvidenceCase, type EvidenceFinding, unreadable } from './evidence-case.ts';
import { readSoftwareStatement } from './software.ts';

type Reader = (given: EvidenceCase) => Promise<EvidenceFinding> | EvidenceFinding;

/** Readers by `Attestation.format`, an open set. Hardware verifiers are loaded on first use. */
const readers: Readonly<Record<string, () => Promise<Reader>>> = {
  'software-statement': async () => readSoftwareStatement,
  'tdx-quote': async () => (await import('./tdx.ts')).readTdxQuote,
  'nitro-document': async () => (await import('./nitro.ts')).readNitroDocument,
  'sev-snp-report': async () => (await import('./sev-snp.ts')).readSnpReport,
  jwt: async () => (await import('./token.ts')).readToken,
};

/** Verifies evidence of any known format. The verdict on an unknown format is `unknown`. */
export async function readEvidence(given: EvidenceCase): Promise<EvidenceFinding> {
  const { format } = given.attestation;
  const load = Object.hasOwn(readers, format) ? readers[format] : undefined;
  if (load === undefined) return unreadable(`this program cannot verify evidence of the format ${format}`);
  const read = await load();
  return read(given);
}
