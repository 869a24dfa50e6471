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
  /** The price limit in the token's smallest unit. */
  readonly maxPrice?: bigint;
  readonly yes?: boolean;
  /** The only token to pay in, and the only recipient to pay. */
  readonly token?: string;
  readonly payTo?: string;
  /** The file for the exchange. */
  readonly save?: string;
};

export type ChatOptions = PurchaseOptions & { readonly system?: string; readonly tool?: readonly string[] };

/** The options of `proxy`. */
export type ProxyCommandOptions = Pick<
  PurchaseOptions,
  keyof GlobalOptions | 'maxPrice' | 'maxTokens' | 'payTo' | 'settlementType' | 'token'
> & {
  readonly upstream?: string;
  readonly port: number;
  readonly journal?: string;
  readonly accessTokenFile?: string;
  /** In the token's smallest unit, like `maxPrice`. */
  readonly maxPerHour?: bigint;
  readonly maxTotal?: bigint;
  readonly logFile?: string;
};

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
  /** Pairs of name and value. */
  readonly measurement?: readonly (readonly [string, string])[];
  readonly collateral?: string;
  readonly jwks?: string;
};

/** The environment of a command. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
};
