import { checkInclusion, type Head, type InclusionCheck, readHead } from '../chain/chain-view.ts';
import type { Rpc } from '../chain/rpc.ts';
import { changeAll } from '../store/bulk.ts';
import type { Store } from '../store/store.ts';
import type { Inclusion } from '../types/inclusion.ts';
import type { Signal } from '../types/signal.ts';
import type { Bytes32 } from '../types/units.ts';

export type FinalityPorts = {
  /** Every call of a round goes to one endpoint. */
  readonly rpc: Rpc;
  readonly store: Pick<Store, 'recentInclusions' | 'inclusionsUpTo' | 'finalise' | 'reopen'>;
  readonly log: { warn(fields: object, message: string): void };
  readonly work: Pick<Signal, 'notify'>;
  readonly closing: AbortSignal;
};

/** The result of one round. Two rounds must agree before the gateway acts. */
export type Watched = {
  readonly finalized: Head;
  /** The newest settlements that were in their blocks, all of them in one chain, highest block first. */
  readonly known: readonly Inclusion[];
  /** The lowest block with a settlement that is missing, or that a fault of the node left unchecked. */
  readonly openFrom: number;
  /** Transactions that are not in the block that the store has for them. */
  readonly missing: ReadonlySet<Bytes32>;
  /** The node names no finalized block, and the log says so. */
  readonly namesNone: boolean;
};

export const noHead: Head = { block: 0, seconds: 0n };
export const nothingWatched: Watched = {
  finalized: noHead,
  known: [],
  openFrom: Number.POSITIVE_INFINITY,
  missing: new Set(),
  namesNone: false,
};

const withoutFinality =
  'The node names no finalized block, so no settlement becomes final, and the store keeps growing. Use a node that supports the block tag `finalized`.';

/** The newest settlements that are watched for reorganisations, which remove the newest blocks. */
const recentMax = 5_000;
/** Another process may write a settlement so many blocks late. */
const blocksLate = 32;
/** Most settlements that become final in one round. The next round takes the others. */
const finalMax = 1_000;
/** Most calls to the node at once. */
const callsMax = 8;

/**
 * Looks for settlements that a reorganisation removed, and makes old ones final. A settlement that is missing in two rounds
 * is reopened. A settlement is checked once when it is new, and once before it is final (D-445). Between, a round checks
 * only the newest known one: while its block is in the chain, so are the blocks below it. Nothing at or above a missing
 * settlement becomes final. A node that names no finalized block makes none final.
 */
export async function watchFinality(ports: FinalityPorts, last: Watched): Promise<Watched> {
  const { rpc, store, log } = ports;
  const read = await readHead(rpc, 'finalized');
  const finalized = read.ok ? read.value : noHead;
  const recent = await checkRecent(ports, last);
  if (recent === null) return last;
  // The lower of two rounds. A chain never revokes finality, but one node may return a wrong number.
  const finalUpTo = Math.min(finalized.block, last.finalized.block);
  const due = await store.inclusionsUpTo(finalUpTo, finalMax);
  const checked = await checkAll(rpc, due);
  const lost = new Map([...recent.lost, ...checked.lost].map((inclusion) => [inclusion.txHash, inclusion]));
  const missing = await reopenMissing(ports, [...lost.keys()], last.missing);
  // A full page may hold only a part of its last block.
  const full = due.length === finalMax ? due.slice(-1) : [];
  const open = [...lost.values(), ...checked.unshown, ...full].map(({ block }) => block - 1);
  const final = Math.min(finalUpTo, ...open);
  await changeAll(() => store.finalise(final), ports.closing);
  // The node responds to other calls.
  const namesNone = !read.ok && recent.known.length > 0;
  if (namesNone && !last.namesNone) log.warn({ fault: read.fault.message }, withoutFinality);
  const known = recent.known.filter(({ block }) => block > final);
  return { finalized, known, openFrom: recent.openFrom, missing, namesNone };
}

/** Checks new settlements, and known ones that may have left the chain. Null if the node cannot say. */
async function checkRecent(
  { rpc, store }: FinalityPorts,
  { known, openFrom }: Pick<Watched, 'known' | 'openFrom'>,
): Promise<(Pick<Watched, 'known' | 'openFrom'> & { readonly lost: readonly Inclusion[] }) | null> {
  let left = 0;
  for (const inclusion of known) {
    const check = await checkInclusion(rpc, inclusion);
    if (!check.ok) return null;
    if (check.value !== 'gone') break;
    left += 1;
  }
  const kept = known.slice(left);
  const [newest] = kept;
  const from = newest ? Math.min(newest.block - blocksLate, openFrom) : 0;
  const before = new Set(known.map(({ txHash }) => txHash));
  const recent = await store.recentInclusions(from, recentMax);
  const added = await checkAll(
    rpc,
    recent.filter(({ txHash }) => !before.has(txHash)),
  );
  if (newest && added.there.length > 0) {
    // The chain may have changed while the new ones were checked.
    const again = await checkInclusion(rpc, newest);
    if (!again.ok || again.value === 'gone') return null;
  }
  const all = [...added.there, ...kept].toSorted((one, other) => other.block - one.block);
  const lost = [...known.slice(0, left), ...added.lost];
  return {
    known: all.slice(0, recentMax),
    openFrom: Math.min(...[...lost, ...added.unchecked].map(({ block }) => block)),
    lost,
  };
}

type Checked = {
  readonly there: readonly Inclusion[];
  readonly lost: readonly Inclusion[];
  readonly unchecked: readonly Inclusion[];
  /** All that must not become final: lost, without a receipt, or not checked. */
  readonly unshown: readonly Inclusion[];
};

/** Checks inclusions, some at once. Ends after a fault of the node, so that an outage costs few calls. */
async function checkAll(rpc: Rpc, inclusions: readonly Inclusion[]): Promise<Checked> {
  const found = new Map<Inclusion, InclusionCheck>();
  for (let at = 0; at < inclusions.length; at += callsMax) {
    const some = inclusions.slice(at, at + callsMax);
    const checks = await Promise.all(some.map((inclusion) => checkInclusion(rpc, inclusion)));
    for (const [index, inclusion] of some.entries()) {
      const check = checks[index];
      if (check?.ok) found.set(inclusion, check.value);
    }
    if (checks.some(({ ok }) => !ok)) break;
  }
  const are = (...kinds: readonly (InclusionCheck | undefined)[]) =>
    inclusions.filter((inclusion) => kinds.includes(found.get(inclusion)));
  // A node that shows no receipts now has lost no settlement. It stands, and waits for its finality (D-207).
  return {
    there: are('shown', 'listed'),
    lost: are('gone'),
    unchecked: are(undefined),
    unshown: are('listed', 'gone', undefined),
  };
}

/** Reopens what was missing in the last round too. Returns the others. */
async function reopenMissing(
  { store, log, work }: FinalityPorts,
  lost: readonly Bytes32[],
  before: ReadonlySet<Bytes32>,
): Promise<ReadonlySet<Bytes32>> {
  for (const txHash of lost.filter((each) => before.has(each))) {
    // The transaction is gone, or in another block with another effect. The relayer worker follows it again.
    const { length: payments } = await store.reopen(txHash);
    log.warn(
      { txHash, payments },
      'A reorganisation removed a settlement. The relayer worker follows it again.',
    );
    work.notify();
  }
  return new Set(lost.filter((each) => !before.has(each)));
}
