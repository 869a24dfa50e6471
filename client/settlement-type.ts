import type { SettlementType } from '@paid-inference/contract/types';

/** By name, so that one which the contract gains and this lacks does not compile. */
const byName: Record<SettlementType, true> = { private: true, individual: true, batch: true };

/** How much of an inference the ledger network gets to see (contract §4.3). */
export const settlementTypes = Object.keys(byName) as readonly SettlementType[];

/** What it is where nothing is asked for (contract §4.3). */
export const settlementTypeDefault: SettlementType = 'batch';
