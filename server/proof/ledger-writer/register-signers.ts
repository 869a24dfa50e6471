import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import { readMined } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Relayer } from '../../relayer/nonce.ts';
import type { SignerRecord } from '../../store/proof-store.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import type { Address, Bytes32 } from '../../types/units.ts';
import { registerEnclaveKeyCall } from './ledger-call.ts';
import { encodeSigner } from './ledger-events.ts';
import { describeOtherEvidence } from './watch-key.ts';
import { silent, WriterIssues } from './writer-issues.ts';
import type { WriterPorts } from './writer-ports.ts';

/** Registers enclave keys on the proof ledger, including keys of processes that died. */
export interface Registrar {
  /** Registers the keys that the proof ledger does not have. */
  register(): Promise<void>;
  /** Marks keys whose registration is final. A registration that a reorganisation removed is made again. */
  finalise(finalBlock: number): Promise<void>;
}

export function createRegistrar(
  ports: WriterPorts & {
    readonly rpc: Rpc;
    readonly relayer: Relayer;
    /** The enclave key of this process, which is registered first. */
    readonly signer: Address;
    /** The most signers that one round checks; the next round continues after them. */
    readonly limits: { readonly pageMax: number };
  },
): Registrar {
  const { rpc, store, contract, view, events, sender, log, limits, closing } = ports;
  const { chainId } = ports.relayer;
  const registered = new Map<Address, Inclusion>();
  /** Keys whose attestation is for another ledger, from earlier settings, or invalid. */
  const thirdParties = new Set<Address>();
  let after: Address | undefined;

  return {
    async register() {
      const own = registered.has(ports.signer) ? null : await store.findSigner(ports.signer);
      const page = await store.unregisteredSigners(limits.pageMax, after);
      after = page.length < limits.pageMax ? undefined : page.at(-1)?.address;
      let first: WriterIssues | null = null;
      for (const signer of own === null ? page : [own, ...page]) {
        if (closing.aborted) return;
        if (signer.isRegistered || registered.has(signer.address) || thirdParties.has(signer.address))
          continue;
        try {
          await registerOne(signer);
        } catch (cause) {
          // Another key may be registered already by an operator, and needs only a mark.
          if (!(cause instanceof WriterIssues) || cause.reach === 'node') throw cause;
          first ??= cause;
        }
      }
      if (first) throw first;
    },
    async finalise(finalBlock) {
      for (const [address, { txHash, block, blockHash }] of registered) {
        const mined = await readMined(rpc, txHash);
        if (!mined.ok) throw silent(mined.fault);
        if (mined.value?.blockHash !== blockHash) {
          log.warn(
            { signer: address },
            'a reorganisation removed the registration of an enclave key; the writer registers the key again',
          );
          registered.delete(address);
        } else if (block <= finalBlock) {
          await store.markRegistered(address);
          registered.delete(address);
        }
      }
    },
  };

  async function registerOne({ address, attestation }: SignerRecord): Promise<void> {
    const read = readAttestation(attestation);
    if (read === null || read.ledger.chainId !== chainId || read.contract !== contract) {
      thirdParties.add(address);
      log.warn(
        { signer: address, ledger: read?.ledger },
        'the attestation of a key of an earlier start is for another ledger, so the key is not registered',
      );
      return;
    }
    const known = await view.enclaveKey(address);
    if (known.state !== 'unknown') {
      // The key watch reports our own key and stops sales with it (D-90).
      if (known.evidenceHash !== read.evidenceHash && address !== ports.signer)
        log.warn(
          { signer: address },
          `${describeOtherEvidence(address)}. No proof of this key can be verified`,
        );
      const name = encodeSigner(address);
      const inclusion = (await events.find('EnclaveKeyRegistered', [name])).get(name);
      // A registration before the searched blocks counts as final.
      if (inclusion === undefined) await store.markRegistered(address);
      else registered.set(address, inclusion);
      return;
    }
    const { evidenceHash, provider } = read;
    const call = registerEnclaveKeyCall(contract, address, evidenceHash, provider);
    const refusal = await view.findRefusal(call);
    // The key was registered since the last check: the next round finds it.
    if (refusal?.error === 'AlreadyRegistered') return;
    if (refusal !== null) throw new WriterIssues(refusal.sentence);
    const mined = await sender.send(call);
    if (mined === null || !events.namesIn('EnclaveKeyRegistered', mined).includes(encodeSigner(address)))
      return;
    const { txHash, block, blockHash } = mined;
    registered.set(address, { txHash, block, blockHash });
    log.info({ signer: address, provider }, 'registered the enclave key on the proof ledger');
  }
}

/** Null for an invalid attestation, so that one invalid row does not stop the others. */
function readAttestation(text: string) {
  const attestation: unknown = JSON.parse(text);
  if (!isAttestation(attestation)) return null;
  const { provider, ledger } = attestation;
  // The contract of the wire has 32 bytes here.
  const evidenceHash = attestation.evidenceHash.toLowerCase() as Bytes32;
  return { evidenceHash, provider, ledger, contract: ledger.verifyingContract.toLowerCase() };
}
