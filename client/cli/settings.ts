import type { SettlementType } from '@paid-inference/contract/types';
import type { Terminal } from './terminal.ts';

/** The options of every command. */
export type GlobalOptions = {
  readonly url: string;
  readonly keyFile?: string;
  readonly rpc?: string;
  readonly resourceHost?: readonly string[];
};

/** The options of the commands that pay. */
export type PurchaseOptions = GlobalOptions & {
  readonly model?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly settlementType?: SettlementType;
  /** In the token's smallest unit. */
  readonly maxPrice?: bigint;
  readonly yes?: boolean;
  /** Where the exchange goes, to be verified later. */
  readonly save?: string;
};

export type ChatOptions = PurchaseOptions & { readonly system?: string; readonly tool?: readonly string[] };

/** The options of `verify`. */
export type VerifyCommandOptions = GlobalOptions & {
  readonly ledgerRpc?: string;
  readonly chainRpc?: string;
  readonly gateway?: string;
  readonly ledger?: string;
  readonly token?: string;
  readonly wait?: number;
  readonly fresh?: boolean;
  readonly keep?: boolean;
  readonly requireHardware?: boolean;
  /** Names and values. */
  readonly measurement?: readonly (readonly [string, string])[];
  readonly collateral?: string;
  readonly jwks?: string;
};

/** What a command is run with, beside its options. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts when the person does. */
  readonly signal: AbortSignal;
};
