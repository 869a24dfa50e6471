import { computeTopic } from '../../chain/abi.ts';
import { type Mined, parseQuantity, readHead, readIncluded } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { ReceiptLog } from '../../chain/token-logs.ts';
import { addressWord } from '../../chain/word.ts';
import type { Inclusion } from '../../types/inclusion.ts';
import { type Address, type Bytes32, parseBytes32, type UnixSeconds } from '../../types/units.ts';
import { silent } from './writer-issues.ts';

/** The events of the contract for a record, each identified by its first indexed value. */
type Recorded = keyof typeof topics;

const topics = {
  BatchRecorded: computeTopic('BatchRecorded(bytes32,uint64,uint64)'),
  InferenceRecorded: computeTopic('InferenceRecorded(bytes32,address,bytes32,bytes32,bytes32,uint64,bytes)'),
  EnclaveKeyRegistered: computeTopic('EnclaveKeyRegistered(address,bytes32,string)'),
};

/** An event, and the transaction that it was emitted in. */
export type FoundEvent = Inclusion & { readonly log: ReceiptLog };

/** Finds records by their events on the chain. Throws `WriterIssues` when the node does not respond. */
export interface LedgerEvents {
  /**
   * Finds the newest events of these names. A name without an event in the last `logBlocksMax` blocks is
   * missing.
   */
  find(event: Recorded, names: readonly Bytes32[]): Promise<ReadonlyMap<Bytes32, FoundEvent>>;
  /** Finds one event from the first block of a time on; null when `logBlocksMax` blocks have no such event. */
  findSince(event: Recorded, name: Bytes32, since: UnixSeconds): Promise<FoundEvent | null>;
  /**
   * Reads the events of a mined transaction from its logs. Its status alone does not show which records were
   * skipped.
   */
  eventsIn(event: Recorded, mined: Mined): ReadonlyMap<Bytes32, FoundEvent>;
  /** Reads only the names of these events. */
  namesIn(event: Recorded, mined: Mined): readonly Bytes32[];
}

/** The most blocks of one query, as the public nodes of the payments' network advise. */
const blocksPerQuery = 2_000;

export function createLedgerEvents(rpc: Rpc, contract: Address, logBlocksMax: number): LedgerEvents {
  return {
    async find(event, names) {
      const found = new Map<Bytes32, FoundEvent>();
      const head = await readHead(rpc);
      if (!head.ok) throw silent(head.fault);
      const oldest = Math.max(0, head.value.block - logBlocksMax);
      for (let toBlock = head.value.block; toBlock >= oldest; toBlock -= blocksPerQuery) {
        const missing = names.filter((name) => !found.has(name));
        if (missing.length === 0) break;
        const fromBlock = Math.max(oldest, toBlock - blocksPerQuery + 1);
        await findWithin(event, missing, [fromBlock, toBlock], found);
      }
      return found;
    },
    async findSince(event, name, since) {
      const found = new Map<Bytes32, FoundEvent>();
      const head = await readHead(rpc);
      if (!head.ok) throw silent(head.fault);
      const oldest = await findFirstBlock(rpc, since, head.value.block);
      const newest = Math.min(head.value.block, oldest + logBlocksMax);
      for (let fromBlock = oldest; fromBlock <= newest && !found.has(name); fromBlock += blocksPerQuery) {
        const toBlock = Math.min(newest, fromBlock + blocksPerQuery - 1);
        await findWithin(event, [name], [fromBlock, toBlock], found);
      }
      return found.get(name) ?? null;
    },
    eventsIn,
    namesIn: (event, mined) => [...eventsIn(event, mined).keys()],
  };

  async function findWithin(
    event: Recorded,
    names: readonly Bytes32[],
    [fromBlock, toBlock]: readonly [number, number],
    found: Map<Bytes32, FoundEvent>,
  ): Promise<void> {
    for (const txHash of await transactionsWithin(event, names, fromBlock, toBlock)) {
      const mined = await readIncluded(rpc, txHash);
      if (!mined.ok) throw silent(mined.fault);
      if (mined.value === null) continue;
      for (const [name, each] of eventsIn(event, mined.value)) found.set(name, each);
    }
  }

  async function transactionsWithin(
    event: Recorded,
    names: readonly Bytes32[],
    fromBlock: number,
    toBlock: number,
  ): Promise<ReadonlySet<Bytes32>> {
    const [from, to] = [`0x${fromBlock.toString(16)}`, `0x${toBlock.toString(16)}`];
    const filter = { address: contract, fromBlock: from, toBlock: to, topics: [topics[event], names] };
    const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
    if (!logs.ok) throw silent(logs.fault);
    if (!Array.isArray(logs.value)) throw silent({ message: 'the node returned no list of logs' });
    const hashes = logs.value.map((log) => parseBytes32(String(log?.transactionHash)));
    return new Set(hashes.filter((hash) => hash !== null));
  }

  function eventsIn(event: Recorded, { txHash, block, blockHash, logs }: Mined): Map<Bytes32, FoundEvent> {
    const found = new Map<Bytes32, FoundEvent>();
    for (const log of logs) {
      const [first, second = ''] = log.topics;
      if (log.removed || log.address.toLowerCase() !== contract || first !== topics[event]) continue;
      const name = parseBytes32(second);
      if (name !== null) found.set(name, { txHash, block, blockHash, log });
    }
    return found;
  }
}

/** Finds the first block at or after a time by binary search, because block times only grow. */
async function findFirstBlock(rpc: Rpc, time: UnixSeconds, head: number): Promise<number> {
  let [low, high] = [0, head];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = await rpc.call<{ timestamp?: unknown } | null>('eth_getBlockByNumber', [
      `0x${middle.toString(16)}`,
      false,
    ]);
    if (!block.ok) throw silent(block.fault);
    const seconds = parseQuantity(block.value?.timestamp);
    if (seconds === null) throw silent({ message: 'the node returned a block without a timestamp' });
    if (seconds < BigInt(time)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Encodes a signer as a topic. */
export function encodeSigner(signer: Address): Bytes32 {
  return `0x${addressWord(signer)}` as Bytes32;
}
