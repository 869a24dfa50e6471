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
};

export type ChatOptions = PurchaseOptions & { readonly system?: string; readonly tool?: readonly string[] };

/** What a command is run with, beside its options. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts when the person does. */
  readonly signal: AbortSignal;
};
