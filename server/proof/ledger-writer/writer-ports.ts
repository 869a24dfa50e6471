import type { Log } from '../../observe/log.ts';
import type { ProofStore } from '../../store/proof-store.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';

import type { Clock } from '../../types/clock.ts';
import type { LedgerName } from '../../types/ledger-name.ts';
import type { Address } from '../../types/units.ts';
import type { LedgerEvents } from './ledger-events.ts';
import type { LedgerView } from './ledger-view.ts';
import type { Sender } from './sender.ts';

/** The ports of every part of the ledger writer. */
export type WriterPorts = {
  readonly store: ProofStore;
  readonly contract: Address;
  readonly ledger: LedgerName;
  readonly view: LedgerView;
  readonly events: LedgerEvents;
  readonly sender: Sender;
  /**
   * Returns the lease of the proof ledger, renewed in time; throws `StaleFence` when another process has it.
   */
  readonly lease: () => Promise<RelayerLease>;
  readonly clock: Clock;
  readonly log: Log;
  readonly closing: AbortSignal;
};
