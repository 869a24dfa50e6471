import type { Devnet } from './devnet/devnet.ts';
import type { Scenario } from './scenario.ts';

export type GatewayOptions = {
  readonly scenario: Scenario;
  readonly devnet: Devnet;
  /** How long a silent gateway keeps the connection open. */
  readonly silenceMs: number;
  readonly clock: () => Date;
};
