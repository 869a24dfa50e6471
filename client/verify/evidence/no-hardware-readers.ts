import type { EvidenceReader } from './evidence-case.ts';

/** Replaces `hardware-readers.ts` in bundles for browsers: the verdict on hardware evidence is `unknown` there. */
export const hardwareReaders: Readonly<Record<string, () => Promise<EvidenceReader>>> = {};
