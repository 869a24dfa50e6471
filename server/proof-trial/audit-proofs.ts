import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import type { InferenceProof, ProofRecord } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { AbiCoder, Contract, JsonRpcProvider, keccak256, toUtf8Bytes } from 'ethers';
import type { LedgerNetwork } from '../devnet/ledger-network.ts';
import type { Payment } from '../faults/buyers.ts';

/** What somebody who bought an answer holds: the exchange, the proof that came with it, and where the gateway says it is. */
export type Bought = {
  readonly payment: Payment;
  readonly answer: string;
  readonly proof: InferenceProof;
  readonly record: ProofRecord | null;
};

/** What the ledger network says, read past all of the gateway's own code. */
export type ProofAudit = {
  readonly batches: number;
  /** By the sizes that the batches were recorded with. */
  readonly leaves: number;
  /** Leaves that the contract itself finds under a recorded root by the path that the gateway gives. */
  readonly accepted: number;
  readonly gasPerInference: number;
  readonly gasPerInferenceOfFull: number | null;
  readonly faults: readonly string[];
};

type Batch = { readonly root: string; readonly size: number; readonly gas: number };

/** Leaves at which a batch is full unless the settings say otherwise (D-28). */
const fullBatch = 64;

/**
 * Holds the proofs against the ledger network: every one in exactly one batch, by a path that the contract takes, with the
 * hashes of the very exchange; and nothing else recorded.
 */
export async function auditProofs(network: LedgerNetwork, bought: readonly Bought[]): Promise<ProofAudit> {
  const { rpcUrl, chainId, contract } = network;
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  const ledger = new Contract(contract, inferenceLedgerAbi, provider);
  try {
    const batches = await readBatches(ledger);
    const faults: string[] = [];
    const say = (isWrong: boolean, what: string) => {
      if (isWrong) faults.push(what);
    };
    const singles = await ledger.queryFilter('InferenceRecorded', 0, 'latest');
    say(singles.length > 0, `${singles.length} inferences were recorded by themselves`);
    const ids = new Set(bought.map(({ proof }) => proof.proofId));
    say(ids.size !== bought.length, `${bought.length - ids.size} answers came with the proof of another`);

    const members = new Map<string, Set<string>>(batches.map(({ root }) => [root, new Set()]));
    let accepted = 0;
    const hold = async ({ payment, answer, proof, record }: Bought): Promise<void> => {
      const { prompt } = payment;
      const isOfIt =
        proof.inputHash === hashOf(payment.body) && proof.outputHash === hashOf(JSON.parse(answer));
      say(!isOfIt, `${prompt}: the proof has other hashes than its exchange`);
      const leafHash = leafHashOf(proof);
      say(record?.leafHash !== leafHash, `${prompt}: the gateway has another leaf than the buyer`);
      const { root, path } = record?.batch ?? {};
      if (record?.status !== 'recorded' || !root || !path) {
        faults.push(`${prompt}: not recorded`);
        return;
      }
      say(!members.has(root), `${prompt}: under a root that the ledger does not know`);
      members.get(root)?.add(leafHash);
      const isUnder: boolean = await ledger.getFunction('verifyInBatch')(root, proof, path);
      say(!isUnder, `${prompt}: the contract does not find it by its path`);
      if (isUnder) accepted += 1;
    };
    // All at once: the provider puts them into few calls.
    await Promise.all(bought.map(hold));
    // As many leaves as there are members: then each is there once, and nothing else is.
    for (const { root, size } of batches) {
      const known = members.get(root)?.size ?? 0;
      say(known !== size, `the batch ${root} has ${size} leaves, of which ${known} were bought`);
    }
    return { ...sumsOf(batches), accepted, faults };
  } finally {
    provider.destroy();
  }
}

async function readBatches(ledger: Contract): Promise<readonly Batch[]> {
  const logs = await ledger.queryFilter('BatchRecorded', 0, 'latest');
  return Promise.all(
    logs.map(async (log) => {
      const receipt = await log.getTransactionReceipt();
      const values = ledger.interface.parseLog(log)?.args;
      return { root: String(values?.['root']), size: Number(values?.['size']), gas: Number(receipt.gasUsed) };
    }),
  );
}

function sumsOf(batches: readonly Batch[]) {
  const leaves = batches.reduce((sum, { size }) => sum + size, 0);
  const gas = batches.reduce((sum, batch) => sum + batch.gas, 0);
  const full = batches.find(({ size }) => size === fullBatch);
  return {
    batches: batches.length,
    leaves,
    gasPerInference: gas / Math.max(1, leaves),
    gasPerInferenceOfFull: full ? full.gas / fullBatch : null,
  };
}

/** By a general encoder, and not by the gateway's own. */
function leafHashOf(proof: InferenceProof): string {
  const fields = inferenceLeafTypes.InferenceLeaf;
  const values = fields.map(({ name }) => proof[name as keyof InferenceProof]);
  const encoded = AbiCoder.defaultAbiCoder().encode(
    fields.map(({ type }) => type),
    values,
  );
  return keccak256(keccak256(encoded));
}

function hashOf(body: unknown): string {
  return keccak256(toUtf8Bytes(canonicalize(body) ?? ''));
}
