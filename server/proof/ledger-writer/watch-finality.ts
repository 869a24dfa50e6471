import { parseCount, readHead, readMined } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import type { Bytes32 } from '../../types/units.ts';
import type { Registrar } from './register-signers.ts';
import { silent } from './writer-issues.ts';
import type { WriterPorts } from './writer-ports.ts';

export type FinalityLimits = {
  /** Transactions, and signers, that one round looks at; the next round goes on behind them. */
  readonly pageMax: number;
  /** Blocks on top of one that make it final where the network names no finalized block. */
  readonly finalityBlocks: number;
};

/** From the lowest inclusion to the highest, over as many rounds as that takes. */
type Pass = {
  readonly after: Inclusion | undefined;
  /** Where nothing in it speaks against that, everything up to this block is final at its end. */
  readonly finalUpTo: number;
  readonly missing: ReadonlySet<Bytes32>;
};

/** No block is final. */
const none = -1;

/**
 * Looks at every recorded transaction once more before it counts as final, as the maintenance loop of the settlements does. What two
 * passes saw alike is acted upon: one that is missing makes what it recorded due again, and the contract is asked anew.
 */
export function createFinalityWatch(
  ports: Pick<WriterPorts, 'store' | 'log' | 'lease'> & {
    readonly rpc: Rpc;
    readonly registrar: Registrar;
    readonly limits: FinalityLimits;
  },
): { look(): Promise<void> } {
  const { rpc, store, log, lease, registrar, limits } = ports;
  let lastFinal = none;
  let lastMissing: ReadonlySet<Bytes32> = new Set();
  let pass: Pass | null = null;
  let namesFinality = false;

  return {
    async look() {
      const final = await readFinalBlock();
      // Of two rounds the lower: a chain never takes finality back, but a node may have told a number from nowhere.
      const finalUpTo = Math.min(final, lastFinal);
      lastFinal = final;
      await registrar.finalise(finalUpTo);
      pass ??= { after: undefined, finalUpTo, missing: new Set() };
      const page = await store.recordedInclusions(limits.pageMax, pass.after);
      pass = await checkFinality(page, pass);
      if (page.length === limits.pageMax) return;
      if (pass.finalUpTo >= 0) await store.finaliseRecorded(pass.finalUpTo);
      [lastMissing, pass] = [pass.missing, null];
    },
  };

  async function checkFinality(
    page: readonly Inclusion[],
    { after, finalUpTo, missing }: Pass,
  ): Promise<Pass> {
    const found = await Promise.all(page.map(({ txHash }) => readMined(rpc, txHash)));
    const lost = page.filter(({ blockHash }, at) => {
      const mined = found[at];
      if (!mined?.ok) throw silent(mined?.fault ?? { message: 'no receipt' });
      return mined.value?.blockHash !== blockHash;
    });
    for (const { txHash } of lost) {
      if (!lastMissing.has(txHash)) continue;
      await store.reopenRecorded(await lease(), txHash);
      log.warn({ txHash }, 'a reorganisation of the ledger took a record away; it is made again');
    }
    const hashes = lost.map(({ txHash }) => txHash).filter((txHash) => !lastMissing.has(txHash));
    return {
      after: page.at(-1) ?? after,
      finalUpTo: Math.min(finalUpTo, ...lost.map(({ block }) => block - 1)),
      missing: new Set([...missing, ...hashes]),
    };
  }

  /**
   * The block that the network calls finalized. One that has no such thing refuses the word or knows no such block, and then
   * depth counts; one that has named it once is never again taken for such a network, whatever one answer says (D-91).
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
