import type { FinishedReply } from '../http/reply.ts';

/** Counts a request for data of the page. Returns the refusal when a network sent too many. */
export type AdmitSite = (network: string) => Promise<FinishedReply | null>;
