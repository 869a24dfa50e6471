import { checkInclusion, parseCount, readHead } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import type { Bytes32 } from '../../types/units.ts';
import type { Registrar } from './register-signers.ts';
import { silent } from './writer-issues.ts';
import type { WriterPorts } from './writer-ports.ts';

export type FinalityLimits = {
  /** The most transactions, and signers, that one round checks; the next round continues after them. */
  readonly pageMax: number;
  /** How many blocks must follow a block to make it final, on a chain without finalized blocks. */
  readonly finalityBlocks: number;
};

/** A check of all inclusions from the lowest to the highest, over several rounds. */
type Pass = {
  readonly after: Inclusion | undefined;
  /** At the end of the pass, all records up to this block become final. A missing record lowers the block. */
  readonly finalUpTo: number;
  readonly missing: ReadonlySet<Bytes32>;
};

/** The block number that means that no block is final. */
const none = -1;

/**
 * Checks every recorded transaction again before it counts as final, as the maintenance loop of the settlements
 * does. A record that is missing in two passes becomes due again, and the writer asks the contract again.
 */
export function createFinalityWatch(
  ports: Pick<WriterPorts, 'store' | 'ledger' | 'log' | 'lease'> & {
    readonly rpc: Rpc;
    readonly registrar: Registrar;
    readonly limits: FinalityLimits;
  },
): { look(): Promise<void> } {
  const { rpc, store, ledger, log, lease, registrar, limits } = ports;
  let lastFinal = none;
  let lastMissing: ReadonlySet<Bytes32> = new Set();
  let pass: Pass | null = null;
  let namesFinality = false;

  return {
    async look() {
      const final = await readFinalBlock();
      // Use the lower of two rounds: finality never decreases, but a node may have returned a wrong number
      // once.
      const finalUpTo = Math.min(final, lastFinal);
      lastFinal = final;
      await registrar.finalise(finalUpTo);
      pass ??= { after: undefined, finalUpTo, missing: new Set() };
      const page = await store.recordedInclusions(ledger, limits.pageMax, pass.after);
      pass = await checkFinality(page, pass);
      if (page.length === limits.pageMax) return;
      if (pass.finalUpTo >= 0) await store.finaliseRecorded(ledger, pass.finalUpTo);
      [lastMissing, pass] = [pass.missing, null];
    },
  };

  async function checkFinality(
    page: readonly Inclusion[],
    { after, finalUpTo, missing }: Pass,
  ): Promise<Pass> {
    const checks = await Promise.all(page.map((inclusion) => checkInclusion(rpc, inclusion)));
    const found = checks.map((check) => {
      if (!check.ok) throw silent(check.fault);
      return check.value;
    });
    const lost = page.filter((_, at) => found[at] === 'gone');
    // A record without a receipt stands while its block lists it, and waits for its finality (D-207).
    const unshown = page.filter((_, at) => found[at] !== 'shown');
    for (const { txHash } of lost) {
      if (!lastMissing.has(txHash)) continue;
      await store.reopenRecorded(await lease(), txHash);
      log.warn(
        { txHash },
        'a reorganisation removed a record from the proof ledger; the writer records it again',
      );
    }
    const hashes = lost.map(({ txHash }) => txHash).filter((txHash) => !lastMissing.has(txHash));
    return {
      after: page.at(-1) ?? after,
      finalUpTo: Math.min(finalUpTo, ...unshown.map(({ block }) => block - 1)),
      missing: new Set([...missing, ...hashes]),
    };
  }

  /**
   * Reads the finalized block. A chain without finality rejects the block tag or returns no block; then depth
   * counts. A chain that named a finalized block once never falls back to depth, whatever one response says
   * (D-91).
   */
  async function readFinalBlock(): Promise<number> {
    const named = await rpc.call<{ number?: unknown } | null>('eth_getBlockByNumber', ['finalized', false]);
    const block = named.ok ? parseCount(named.value?.number) : null;
    if (block !== null) {
      namesFinality = true;
      return block;
    }
    const hasNone = named.ok ? named.value === null : named.fault.kind === 'refused';
    if (namesFinality || !hasNone) return none;
    const head = await readHead(rpc);
    if (!head.ok) throw silent(head.fault);
    return Math.max(none, head.value.block - limits.finalityBlocks);
  }
}
