import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import { readMined } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Relayer } from '../../relayer/nonce.ts';
import type { SignerRecord } from '../../store/proof-store.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import type { Address } from '../../types/units.ts';
import { registerEnclaveKeyCall } from './ledger-call.ts';
import { nameOfSigner } from './ledger-events.ts';
import { sentenceOfOtherEvidence } from './watch-key.ts';
import { silent, WriterIssues } from './writer-issues.ts';
import type { WriterPorts } from './writer-ports.ts';

/** Makes enclave keys known to the ledger, those of processes that died included. */
export interface Registrar {
  /** Registers those that the ledger does not know. */
  register(): Promise<void>;
  /** Marks those whose registration is beyond reorganisation; one that was taken away is registered again. */
  finalise(finalBlock: number): Promise<void>;
}

export function createRegistrar(
  ports: WriterPorts & {
    readonly rpc: Rpc;
    readonly relayer: Relayer;
    /** The enclave key of this process, which comes before all others. */
    readonly signer: Address;
    /** Signers that one round looks at; the next goes on behind them. */
    readonly limits: { readonly pageMax: number };
  },
): Registrar {
  const { rpc, store, contract, view, events, sender, log, limits, closing } = ports;
  const { chainId } = ports.relayer;
  const registered = new Map<Address, Inclusion>();
  /** Keys that are attested to for another ledger, which was in the settings before, or for none. */
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
          // Another may be registered already, by hand, and is only to be marked.
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
          log.warn({ signer: address }, 'a reorganisation of the ledger took a registration away');
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
        'a key of an earlier start signed for another ledger than this',
      );
      return;
    }
    const known = await view.enclaveKey(address);
    if (known.state !== 'unknown') {
      // Of our own key the watch speaks, and sells nothing with it (D-90).
      if (known.evidenceHash !== read.evidenceHash && address !== ports.signer)
        log.warn({ signer: address }, `${sentenceOfOtherEvidence(address)}: no proof of it can be verified`);
      const name = nameOfSigner(address);
      const inclusion = (await events.find('EnclaveKeyRegistered', [name])).get(name);
      // Out of sight is beyond reorganisation.
      if (inclusion === undefined) await store.markRegistered(address);
      else registered.set(address, inclusion);
      return;
    }
    const { evidenceHash, provider } = read;
    const call = registerEnclaveKeyCall(contract, address, evidenceHash, provider);
    const refusal = await view.refusalOf(call);
    // Somebody registered it since it was asked: the next round finds it.
    if (refusal?.error === 'AlreadyRegistered') return;
    if (refusal !== null) throw new WriterIssues(refusal.sentence);
    const mined = await sender.send(call);
    if (mined === null || !events.namesIn('EnclaveKeyRegistered', mined).includes(nameOfSigner(address)))
      return;
    const { txHash, block, blockHash } = mined;
    registered.set(address, { txHash, block, blockHash });
    log.info({ signer: address, provider }, 'the ledger knows the enclave key');
  }
}

/** Null for what is no attestation: a row that cannot be read is no reason to leave the others. */
function readAttestation(text: string) {
  const attestation: unknown = JSON.parse(text);
  if (!isAttestation(attestation)) return null;
  const { evidenceHash, provider, ledger } = attestation;
  return { evidenceHash, provider, ledger, contract: ledger.verifyingContract.toLowerCase() };
}
