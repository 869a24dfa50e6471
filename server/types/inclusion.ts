import type { Bytes32 } from './units.ts';

/** The place of a settlement in the chain. */
export type Inclusion = { readonly txHash: Bytes32; readonly block: number; readonly blockHash: Bytes32 };
