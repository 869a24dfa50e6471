import { chainId } from '@paid-inference/contract/constants';
import { loadConfig } from '../config/load.ts';
import { createLog } from '../observe/log.ts';
import { startGateway } from '../start/start.ts';
import { systemClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import { type Death, dyingStore } from './dying-store.ts';

/** Faults from inside the gateway. */
export type Steering = {
  /** The step of the store at which the process ends. */
  readonly dies?: Death;
  /** How far its clock is ahead of the machine's; negative if behind. */
  readonly clockAheadSeconds?: number;
  /** The step of its wall clock on SIGUSR2. */
  readonly clockStepSeconds?: number;
};

// Starts the gateway as `main.ts` does, with faults that need access from inside.
const [file = null, text = '{}'] = process.argv.slice(2);
const { dies, clockAheadSeconds = 0, clockStepSeconds = 0 } = JSON.parse(text) as Steering;
let steppedSeconds = 0;
process.on('SIGUSR2', () => {
  steppedSeconds += clockStepSeconds;
});
const loaded = loadConfig(file, process.env);
if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
const started = await startGateway({
  ...loaded.value,
  environment: process.env,
  log: createLog(loaded.value.config.logLevel),
  clock: {
    ...systemClock,
    nowSeconds: () => unixSeconds(systemClock.nowSeconds() + clockAheadSeconds + steppedSeconds),
    steadySeconds: () => unixSeconds(systemClock.steadySeconds() + clockAheadSeconds),
  },
  ...(dies && { wrapStore: (store) => dyingStore(store, dies) }),
});
if (!started.ok) throw new Error(started.fault.join('\n'));
const gateway = started.value;
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
console.log(JSON.stringify({ event: 'ready', url: gateway.url, chain: { id: chainId } }));
