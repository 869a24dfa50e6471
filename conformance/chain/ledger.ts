import type { InferenceProof } from '@paid-inference/contract/types';
import { Interface, isHexString, type Result } from 'ethers';
import { type Found, found, missing } from '../types/found.ts';
import { isObject, member } from '../wire/base64-json.ts';
import { isSameHex, parseQuantity, type Rpc } from './rpc.ts';

/** The ledger event of an inference that was recorded individually. */
type RecordedEvent = {
  readonly signer: string;
  readonly inputHash: string;
  readonly outputHash: string;
};

/** The ledger contract that a proof names (D-70), read through a node of its network. */
export type Ledger = {
  isRecorded(proofId: string): Promise<Found<boolean>>;
  /** Undefined if the node returns no such event. */
  recordedEvent(proofId: string): Promise<Found<RecordedEvent | undefined>>;
  /** Number of leaves of a batch; 0 if the ledger has no such root. */
  batchSize(root: string): Promise<Found<bigint>>;
  /** Times in seconds; 0 if it never happened. */
  key(signer: string): Promise<Found<{ readonly registeredAt: bigint; readonly revokedAt: bigint }>>;
};

// Written according to D-70, not generated from the contract, so that the suite is an independent witness.
const abi = new Interface([
  'function isRecorded(bytes32 proofId) view returns (bool)',
  'function batch(bytes32 root) view returns (tuple(uint64 sequence, uint64 size, uint64 recordedAt))',
  'function enclaveKey(address signer) view returns (tuple(bytes32 attestationHash, uint64 registeredAt, uint64 revokedAt))',
  'event InferenceRecorded(bytes32 indexed proofId, address indexed signer, bytes32 inputHash, bytes32 outputHash, bytes32 modelHash, uint64 timestamp, bytes signature)',
]);

/** How many blocks back the suite searches. Events of this run are recent, and nodes refuse longer ranges. */
const blocksBackMax = 5_000;

/** Opens the ledger of a proof; missing if the node belongs to another network. */
export async function openLedger(rpc: Rpc, { ledger }: InferenceProof): Promise<Found<Ledger>> {
  const id = await rpc.call('eth_chainId', []);
  if (!id.ok) return id;
  const chain = parseQuantity(id.value);
  if (chain === BigInt(ledger.chainId)) return found(ledgerAt(rpc, ledger.verifyingContract));
  return missing(
    `the node of --ledger-rpc is on chain ${chain ?? id.value}, but the proof names a ledger on chain ${ledger.chainId}`,
  );
}

function ledgerAt(rpc: Rpc, address: string): Ledger {
  async function read<T>(name: string, argument: string, take: (result: Result) => T): Promise<Found<T>> {
    const call = { to: address, data: abi.encodeFunctionData(name, [argument]) };
    const returned = await rpc.call('eth_call', [call, 'latest']);
    if (!returned.ok) return returned;
    const data = String(returned.value);
    try {
      return found(take(abi.decodeFunctionResult(name, data)));
    } catch {
      return missing(
        `the address ${address} is not a ledger contract: ${name} returned ${data.slice(0, 66)}`,
      );
    }
  }

  return {
    isRecorded: (proofId) => read('isRecorded', proofId, ([isRecorded]) => isRecorded === true),
    batchSize: (root) => read('batch', root, ([batch]) => (batch.sequence === 0n ? 0n : BigInt(batch.size))),
    key: (signer) =>
      read('enclaveKey', signer.toLowerCase(), ([key]) => ({
        registeredAt: BigInt(key.registeredAt),
        revokedAt: BigInt(key.revokedAt),
      })),
    recordedEvent: async (proofId) => {
      const newest = await rpc.call('eth_blockNumber', []);
      if (!newest.ok) return newest;
      const first = (parseQuantity(newest.value) ?? 0n) - BigInt(blocksBackMax);
      const fromBlock = `0x${(first > 0n ? first : 0n).toString(16)}`;
      const topics = abi.encodeFilterTopics('InferenceRecorded', [proofId]);
      const logs = await rpc.call('eth_getLogs', [{ address, topics, fromBlock, toBlock: 'latest' }]);
      if (!logs.ok) return logs;
      const all: readonly unknown[] = Array.isArray(logs.value) ? logs.value : [];
      return found(parseEvent(all.find((each) => isSameHex(member(each, 'address'), address))));
    },
  };
}

function parseEvent(log: unknown): RecordedEvent | undefined {
  const [topics, data] = [member(log, 'topics'), member(log, 'data')];
  if (!isObject(log) || !Array.isArray(topics) || !topics.every((topic) => isHexString(topic, 32)))
    return undefined;
  try {
    const event = abi.parseLog({ topics, data: String(data) });
    if (!event) return undefined;
    const { signer, inputHash, outputHash } = event.args;
    return { signer, inputHash, outputHash };
  } catch {
    return undefined;
  }
}
