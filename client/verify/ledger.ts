import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import type { InferenceProof, InferenceStatement, LedgerDomain } from '@paid-inference/contract/types';
import { Contract, Interface, type Log, makeError } from 'ethers';
import { nodeChainId, openProvider } from '../chain-provider.ts';
import { isSameHex } from './hex.ts';

/** Unix seconds; 0 means never. */
export type LedgerKey = {
  readonly attestationHash: string;
  readonly registeredAt: number;
  readonly revokedAt: number;
};

/** An inference of type `individual`, as the proof ledger recorded it. */
export type RecordedInference = {
  readonly statement: InferenceStatement;
  readonly signer: string;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly recordedAt: number;
};

type SignedStatement = InferenceStatement & Pick<InferenceProof, 'signature'>;

/** `sequence` is 0 when there is no such batch. */
type LedgerBatch = { readonly sequence: bigint; readonly size: bigint; readonly recordedAt: number };

/** The proof ledger, read from a node of its chain. Every call rejects when the node fails. */
export type InferenceLedger = {
  /** The chain id of the node, which may differ from the proof's. */
  chainId(): Promise<bigint>;
  blockNumber(): Promise<number>;
  /** Whether the address has a contract. */
  exists(): Promise<boolean>;
  key(signer: string): Promise<LedgerKey>;
  isRecorded(proofId: string): Promise<boolean>;
  /** Reads the event from the transaction if one is given, else from the logs. Null without an event. */
  recorded(proofId: string, txHash: string | null): Promise<RecordedInference | null>;
  batch(root: string): Promise<LedgerBatch>;
  /** The block of the transaction that recorded the root; null when the transaction did not. */
  batchAt(root: string, txHash: string): Promise<number | null>;
  /** Whether the contract confirms the proof, signed for `batch`, under the root. */
  verifyInBatch(root: string, proof: SignedStatement, path: readonly string[]): Promise<boolean>;
  close(): void;
};

const abi = new Interface(inferenceLedgerAbi);

export function openLedger(
  rpcUrl: string,
  { chainId, verifyingContract }: Pick<LedgerDomain, 'chainId' | 'verifyingContract'>,
): InferenceLedger {
  const provider = openProvider(rpcUrl, chainId);
  const address = verifyingContract.toLowerCase();
  const contract = new Contract(address, abi, provider);
  const read = (name: string, ...given: readonly unknown[]) =>
    contract.getFunction(name).staticCall(...given);

  async function findLogs(proofId: string, txHash: string | null): Promise<readonly Log[]> {
    const receipt = txHash === null ? null : await provider.getTransactionReceipt(txHash);
    const found = (receipt?.logs ?? []).filter((log) => isRecordWithId(log, proofId));
    if (found.length > 0) return found;
    const topics = abi.encodeFilterTopics('InferenceRecorded', [proofId]);
    return provider.getLogs({ address, topics, fromBlock: 0, toBlock: 'latest' });
  }

  function isRecordWithId(log: Log, proofId: string): boolean {
    return isSameHex(log.address, address) && isSameHex(log.topics[1] ?? '', proofId);
  }

  return {
    chainId: () => nodeChainId(provider),
    blockNumber: () => provider.getBlockNumber(),
    exists: async () => (await provider.getCode(address)) !== '0x',
    async key(signer) {
      const { attestationHash, registeredAt, revokedAt } = await read('enclaveKey', signer.toLowerCase());
      return { attestationHash, registeredAt: Number(registeredAt), revokedAt: Number(revokedAt) };
    },
    isRecorded: (proofId) => read('isRecorded', proofId),
    async recorded(proofId, txHash) {
      for (const log of await findLogs(proofId, txHash)) {
        const event = abi.parseLog(log);
        if (event?.name !== 'InferenceRecorded') continue;
        const { inputHash, outputHash, modelHash, timestamp, signer } = event.args;
        const hashes = { proofId, inputHash, outputHash, modelHash };
        // The contract emits this event only for statements that were signed for `individual`.
        const statement = { ...hashes, timestamp: Number(timestamp), settlementType: 'individual' } as const;
        const block = await provider.getBlock(log.blockNumber);
        // The time is needed for the comparison with a revocation.
        if (block === null)
          throw makeError('it returned no block for a recorded inference', 'BAD_DATA', { value: null });
        const { transactionHash: txHash, blockNumber } = log;
        return { statement, signer, txHash, blockNumber, recordedAt: block.timestamp };
      }
      return null;
    },
    async batch(root) {
      const { sequence, size, recordedAt } = await read('batch', root);
      return { sequence, size, recordedAt: Number(recordedAt) };
    },
    async batchAt(root, txHash) {
      const receipt = await provider.getTransactionReceipt(txHash);
      const [topic] = abi.encodeFilterTopics('BatchRecorded', [root]);
      const isIt = (log: Log) => isRecordWithId(log, root) && isSameHex(log.topics[0] ?? '', String(topic));
      return receipt?.logs.some(isIt) ? receipt.blockNumber : null;
    },
    verifyInBatch: (root, proof, path) => read('verifyInBatch', root, proof, path),
    close: () => provider.destroy(),
  };
}
