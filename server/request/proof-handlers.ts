import type { LedgerDomain } from '@paid-inference/contract/types';
import type { Handlers, Operations, Reply } from '../http/contract.ts';
import { errorBody, shareBody } from '../http/reply.ts';
import type { Log } from '../observe/log.ts';
import type { Attester } from '../proof/attestation/attester.ts';
import { createProofRecords } from '../proof/proof-record.ts';
import type { ProofStore } from '../store/proof-store.ts';
import { parseAddress, parseBytes32 } from '../types/units.ts';

export type ProofPorts = {
  readonly log: Log;
  readonly store: Pick<ProofStore, 'findProof' | 'findBatch' | 'findSigner'>;
  readonly attester: Pick<Attester, 'attest' | 'boot'>;
  /** The proof ledger, where proofs are recorded. */
  readonly proofLedger: LedgerDomain;
};

const noStore = { 'Cache-Control': 'no-store' } as const;
const comeAgain = { ...noStore, 'x-should-retry': 'true', 'Retry-After': 1 } as const;

/** Handlers for proofs and attestation (contract §0, §4.3). These requests are free. */
export function createProofHandlers(ports: ProofPorts): Pick<Handlers, 'getProof' | 'getAttestation'> {
  const { attester, proofLedger } = ports;
  const records = createProofRecords(ports.store, proofLedger);
  // The response to every request without a nonce.
  shareBody(attester.boot);
  return {
    async getProof({ path }): Promise<Reply<Operations['getProof']>> {
      const id = parseBytes32(path.id);
      const record = id && (await records.find(id));
      if (record) return { status: 200, headers: noStore, body: record };
      const message = 'Unknown proof: its payment is not settled yet, it was private, or the id is wrong.';
      return { status: 404, headers: noStore, body: errorBody('not_found', message, 'id') };
    },

    async getAttestation({ query }, { site }): Promise<Reply<Operations['getAttestation']>> {
      const nonce = query.nonce === undefined ? null : parseBytes32(query.nonce);
      if (nonce === null && query.nonce !== undefined) {
        const message = 'nonce must be 32 bytes as 0x-prefixed hex.';
        return { status: 400, headers: noStore, body: errorBody('invalid_request', message, 'nonce') };
      }
      const signer = query.signer === undefined ? null : parseAddress(query.signer);
      if (signer === null && query.signer !== undefined) {
        const message = 'signer must be 20 bytes as 0x-prefixed hex.';
        return { status: 400, headers: noStore, body: errorBody('invalid_request', message, 'signer') };
      }
      const attested = await attester.attest(nonce, signer, site);
      if (attested.ok) return { status: 200, headers: noStore, body: attested.value };
      if (attested.fault.kind === 'unknown_signer') {
        const message = 'No enclave key of this gateway has that address.';
        return { status: 404, headers: noStore, body: errorBody('not_found', message, 'signer') };
      }
      if (attested.fault.kind === 'unavailable')
        ports.log.warn({ reason: attested.fault.message }, 'no fresh attestation');
      const message =
        'The gateway cannot make fresh evidence now; without a nonce it returns the evidence of its start.';
      return { status: 503, headers: comeAgain, body: errorBody('unavailable', message) };
    },
  };
}
