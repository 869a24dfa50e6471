import type { Attestation } from '@paid-inference/contract/types';
import { type Client, createClient } from '../client.ts';
import { noSigner } from '../no-signer.ts';
import type { Fetch } from '../payment/send.ts';
import type { AttestationResult } from '../result.ts';
import type { RecordReading } from './record.ts';

/** What the gateway says, all of which is held against hashes and ledger by whoever asks. */
export type GatewayWord = {
  record(proofId: string): Promise<RecordReading>;
  /** What the key was registered with. A string says why there is none. */
  registered(signer: string): Promise<Attestation | string>;
  /** Evidence of the key that the gateway has now. A string says why there is none. */
  fresh(nonce: string): Promise<Attestation | string>;
};

const timeoutMs = 10_000;

/** Nobody to ask. */
export const silence: GatewayWord = {
  record: async () => ({ kind: 'unread', message: unnamed }),
  registered: async () => unnamed,
  fresh: async () => unnamed,
};
const unnamed = 'no gateway was asked';

/** Throws for what is no base URL of a gateway. */
export function askGateway(baseUrl: string, fetch: Fetch | undefined, signal: AbortSignal): GatewayWord {
  const client: Client = createClient({
    baseUrl,
    timeoutMs,
    ...noSigner,
    ...(fetch === undefined ? {} : { fetch }),
  });
  const documentOf = (result: AttestationResult) =>
    result.kind === 'attestation' ? result.attestation : `the gateway says: ${result.message}`;
  return {
    async record(proofId) {
      const result = await client.proof(proofId, { signal });
      if (result.kind === 'proof') return { kind: 'record', record: result.proof };
      if (result.kind === 'error' && result.status === 404) return { kind: 'none' };
      return { kind: 'unread', message: `the gateway says: ${result.message}` };
    },
    registered: async (signer) => documentOf(await client.attestation({ signer }, { signal })),
    fresh: async (nonce) => documentOf(await client.attestation({ nonce }, { signal })),
  };
}
