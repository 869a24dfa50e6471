import type { SettlementType } from '@paid-inference/contract/types';

/** An object, because it does not compile when the contract gains a settlement type that is missing here. */
const byName: Record<SettlementType, true> = { private: true, individual: true, batch: true };

/** How much of an inference the proof ledger gets (contract §4.3). */
export const settlementTypes = Object.keys(byName) as readonly SettlementType[];

/** The settlement type of a request without the header (contract §4.3). */
export const settlementTypeDefault: SettlementType = 'batch';
