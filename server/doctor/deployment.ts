import type { Environment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../types/clock.ts';

/** The deployment that is checked: its settings and secrets. */
export type Deployment = {
  readonly loaded: Loaded;
  readonly environment: Environment;
  readonly clock: Clock;
};

/** A deployment on a real chain. A devnet has nothing to check before it starts. */
export type RealDeployment = Deployment & { readonly chain: NonNullable<Config['chain']> };
