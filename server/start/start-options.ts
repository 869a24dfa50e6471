import type { Environment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import type { Engines } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { OpenStore } from '../store/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../types/clock.ts';

export type StartOptions = Loaded & {
  /** Faults of keys and the like. With a fault nothing starts, and all faults are reported together (D-144). */
  readonly faults?: readonly string[];
  readonly environment: Environment;
  readonly log: Log;
  readonly clock?: Clock;
  /** Replaces the engines of the catalog, for a program that embeds the gateway. */
  readonly engines?: Engines;
  /** Wraps the store, for a program that embeds the gateway and must see or stop every step of a payment. */
  readonly wrapStore?: (store: OpenStore) => OpenStore;
};

/** The options of a start whose metrics and traces are open, or off. */
export type ObservedOptions = StartOptions & { readonly telemetry: Telemetry };
