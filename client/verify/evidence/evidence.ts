import { hardwareReaders } from '#hardware-readers';
import { type EvidenceCase, type EvidenceFinding, type EvidenceReader, unreadable } from './evidence-case.ts';
import { readSoftwareStatement } from './software.ts';

/** Readers by `Attestation.format`, an open set. Hardware verifiers are loaded on first use. */
const readers: Readonly<Record<string, () => Promise<EvidenceReader>>> = {
  'software-statement': async () => readSoftwareStatement,
  ...hardwareReaders,
};

/** Verifies evidence of any known format. The verdict on an unknown format is `unknown`. */
export async function readEvidence(given: EvidenceCase): Promise<EvidenceFinding> {
  const { format } = given.attestation;
  const load = Object.hasOwn(readers, format) ? readers[format] : undefined;
  if (load === undefined) return unreadable(`this program cannot verify evidence of the format ${format}`);
  const read = await load();
  return read(given);
}
