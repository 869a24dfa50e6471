import type { Environment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import type { Engines } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { OpenStore } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';

export type StartOptions = Loaded & {
  /** Wrong keys and the like: then nothing starts, and they are told with everything else that is wrong (D-144). */
  readonly faults?: readonly string[];
  readonly environment: Environment;
  readonly log: Log;
  readonly clock?: Clock;
  /** In place of those that the catalog names, for those who embed the gateway with an engine of their own. */
  readonly engines?: Engines;
  /** Comes between the gateway and its store, for those who embed the gateway and must see, or end, every step of a payment. */
  readonly wrapStore?: (store: OpenStore) => OpenStore;
};
