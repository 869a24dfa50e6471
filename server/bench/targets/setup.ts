import { chainId } from '@paid-inference/contract/constants';
import { startAnvil } from '../../devnet/anvil.ts';
import { type Devnet, type DevnetOptions, startDevnet } from '../../devnet/devnet.ts';
import { type LedgerNetwork, startLedgerNetwork } from '../../devnet/ledger-network.ts';
import { temporaryFolder } from '../../faults/folder.ts';
import { startTestServer } from '../../testing/store/postgres-server.ts';
import type { Target } from '../measure/target.ts';

/** The chain and the folder of a section, and all that the section starts. Everything ends with the setup. */
export type Setup = AsyncDisposable & {
  readonly devnet: Devnet;
  readonly folder: string;
  keep<Of extends Target>(target: Of): Of;
  /** Starts a proof ledger. Each store needs its own, because only one process may send with its key. */
  startLedger(): Promise<LedgerNetwork>;
  /** Starts a PostgreSQL server that flushes every commit. */
  startPostgres(): Promise<{ createDatabase(): Promise<string> }>;
};

/**
 * The chain continues an empty chain, from which it fetches each account that it sees for the first time. Otherwise
 * its blocks would take longer with each payment, and a long section would measure the chain (D-298).
 */
export async function openSetup(chain: Pick<DevnetOptions, 'statesKeptMax'> = {}): Promise<Setup> {
  const opened = new AsyncDisposableStack();
  const folder = temporaryFolder();
  opened.defer(folder.remove);
  const empty = await startAnvil({ chainId, history: 'pruned' });
  opened.defer(() => empty.stop());
  const devnet = await startDevnet({ chainId, forkUrl: empty.rpcUrl, ...chain });
  opened.defer(() => devnet.stop());
  return {
    devnet,
    folder: folder.path,
    keep(target) {
      opened.defer(() => target.stop());
      return target;
    },
    async startLedger() {
      const { network, stop } = await startLedgerNetwork({ history: 'pruned' });
      opened.defer(stop);
      return network;
    },
    async startPostgres() {
      const server = await startTestServer({ durable: true });
      opened.defer(() => server.remove());
      return server;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
