import type { Bytes32 } from './units.ts';

/** Where a settlement stands in the chain. */
export type Inclusion = { readonly txHash: Bytes32; readonly block: number; readonly blockHash: Bytes32 };
