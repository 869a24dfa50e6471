import type { Attestation } from '@paid-inference/contract/types';
import { type Client, createClient } from '../client.ts';
import { noSigner } from '../no-signer.ts';
import type { Fetch } from '../payment/send.ts';
import type { AttestationResult } from '../result.ts';
import type { RecordReading } from './record.ts';

/** The statements of a gateway, which the caller checks with hashes and the proof ledger. */
export type GatewayStatements = {
  record(proofId: string): Promise<RecordReading>;
  /** The evidence of the key's registration. A string gives the reason why there is none. */
  registered(signer: string): Promise<Attestation | string>;
  /** The evidence of the gateway's current key. A string gives the reason why there is none. */
  fresh(nonce: string): Promise<Attestation | string>;
};

const timeoutMs = 10_000;

/** For a verification without a gateway. */
export const noGateway: GatewayStatements = {
  record: async () => ({ kind: 'unread', message: unnamed }),
  registered: async () => unnamed,
  fresh: async () => unnamed,
};
const unnamed = 'no gateway was asked';

/** Throws for an invalid base URL. */
export function askGateway(
  baseUrl: string,
  fetch: Fetch | undefined,
  signal: AbortSignal,
): GatewayStatements {
  const client: Client = createClient({
    baseUrl,
    timeoutMs,
    ...noSigner,
    ...(fetch === undefined ? {} : { fetch }),
  });
  const readDocument = (result: AttestationResult) =>
    result.kind === 'attestation' ? result.attestation : `the gateway says: ${result.message}`;
  return {
    async record(proofId) {
      const result = await client.proof(proofId, { signal });
      if (result.kind === 'proof') return { kind: 'record', record: result.proof };
      if (result.kind === 'error' && result.status === 404) return { kind: 'none' };
      return { kind: 'unread', message: `the gateway says: ${result.message}` };
    },
    registered: async (signer) => readDocument(await client.attestation({ signer }, { signal })),
    fresh: async (nonce) => readDocument(await client.attestation({ nonce }, { signal })),
  };
}
