import { inferenceLeafTypes } from '@paid-inference/contract/eip712';
import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import type { InferenceProof, ProofRecord } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { AbiCoder, Contract, JsonRpcProvider, keccak256, toUtf8Bytes } from 'ethers';
import type { LedgerNetwork } from '../devnet/ledger-network.ts';
import type { Payment } from '../faults/buyers.ts';

/** A purchase as its buyer has it: the exchange, its proof, and the proof record of the gateway. */
export type Bought = {
  readonly payment: Payment;
  readonly response: string;
  readonly proof: InferenceProof;
  readonly record: ProofRecord | null;
};

/** The findings on the proof ledger, read without the gateway's own code. */
export type ProofAudit = {
  readonly batches: number;
  /** The sum of the recorded sizes of the batches. */
  readonly leaves: number;
  /** Leaves that the contract accepts under a recorded root, with the gateway's path. */
  readonly accepted: number;
  readonly gasPerInference: number;
  readonly gasPerInferenceOfFull: number | null;
  readonly faults: readonly string[];
};

type Batch = { readonly root: string; readonly size: number; readonly gas: number };

/** The default number of leaves in a full batch (D-28). */
const fullBatch = 64;

/**
 * Audits the proofs on the proof ledger. Each must be in exactly one batch, with a path that the contract
 * accepts, and with the hashes of its exchange. Nothing else may be recorded.
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
    say(singles.length > 0, `${singles.length} inferences were recorded individually`);
    const ids = new Set(bought.map(({ proof }) => proof.proofId));
    say(
      ids.size !== bought.length,
      `${bought.length - ids.size} responses had the proof of another response`,
    );

    const members = new Map<string, Set<string>>(batches.map(({ root }) => [root, new Set()]));
    let accepted = 0;
    const hold = async ({ payment, response, proof, record }: Bought): Promise<void> => {
      const { prompt } = payment;
      const isSameExchange =
        proof.inputHash === hashBody(payment.body) && proof.outputHash === hashBody(JSON.parse(response));
      say(!isSameExchange, `${prompt}: the proof has other hashes than its exchange`);
      const leafHash = hashLeaf(proof);
      say(record?.leafHash !== leafHash, `${prompt}: the gateway has another leaf than the buyer`);
      const { root, path } = record?.batch ?? {};
      if (record?.status !== 'recorded' || !root || !path) {
        faults.push(`${prompt}: not recorded`);
        return;
      }
      say(!members.has(root), `${prompt}: the proof ledger has no batch with this root`);
      members.get(root)?.add(leafHash);
      const isUnder: boolean = await ledger.getFunction('verifyInBatch')(root, proof, path);
      say(!isUnder, `${prompt}: the contract rejects the path of the proof`);
      if (isUnder) accepted += 1;
    };
    // All at once: the provider sends them in few calls.
    await Promise.all(bought.map(hold));
    // When the numbers of leaves and members are equal, each member is there once, and nothing else is.
    for (const { root, size } of batches) {
      const known = members.get(root)?.size ?? 0;
      say(known !== size, `the batch ${root} has ${size} leaves, of which ${known} were bought`);
    }
    return { ...sumBatches(batches), accepted, faults };
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

function sumBatches(batches: readonly Batch[]) {
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

/** Hashes a leaf with a general encoder, independent of the gateway's own. */
function hashLeaf(proof: InferenceProof): string {
  const fields = inferenceLeafTypes.InferenceLeaf;
  const values = fields.map(({ name }) => proof[name as keyof InferenceProof]);
  const encoded = AbiCoder.defaultAbiCoder().encode(
    fields.map(({ type }) => type),
    values,
  );
  return keccak256(keccak256(encoded));
}

function hashBody(body: unknown): string {
  return keccak256(toUtf8Bytes(canonicalize(body) ?? ''));
}
