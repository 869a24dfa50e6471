import { chainId } from '@paid-inference/contract/constants';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Engines } from '../inference/engine.ts';
import { createEngines } from '../inference/engines.ts';
import { createLog } from '../observe/log.ts';
import { readCatalog } from '../start/read-catalog.ts';
import { startGateway } from '../start/start.ts';
import { systemClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import { type Death, dyingStore } from './dying-store.ts';
import { firstPrompt } from './upstream.ts';

/** Faults from inside the gateway. */
export type Steering = {
  /** The step of the store at which the process ends. */
  readonly dies?: Death;
  /** How far its clock is ahead of the machine's; negative if behind. */
  readonly clockAheadSeconds?: number;
  /** The step of its wall clock on SIGUSR2. */
  readonly clockStepSeconds?: number;
  /** Whether its engine has read a valid stream, and so shows the text of the next one early (D-272). */
  readonly hasStreamed?: boolean;
};

// Starts the gateway as `main.ts` does, with faults that need access from inside.
const [file = null, text = '{}'] = process.argv.slice(2);
const {
  dies,
  clockAheadSeconds = 0,
  clockStepSeconds = 0,
  hasStreamed = false,
} = JSON.parse(text) as Steering;
let steppedSeconds = 0;
process.on('SIGUSR2', () => {
  steppedSeconds += clockStepSeconds;
});
const loaded = loadConfig(file, process.env);
if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
const log = createLog(loaded.value.config.logLevel);
const engines = hasStreamed ? await streamOnce(loaded.value.config) : null;
const started = await startGateway({
  ...loaded.value,
  environment: process.env,
  log,
  clock: {
    ...systemClock,
    nowSeconds: () => unixSeconds(systemClock.nowSeconds() + clockAheadSeconds + steppedSeconds),
    steadySeconds: () => unixSeconds(systemClock.steadySeconds() + clockAheadSeconds),
  },
  ...(engines && { engines }),
  ...(dies && { wrapStore: (store) => dyingStore(store, dies) }),
});
if (!started.ok) throw new Error(started.fault.join('\n'));
const gateway = started.value;
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
console.log(JSON.stringify({ event: 'ready', url: gateway.url, chain: { id: chainId } }));

/** Takes one stream from each upstream of the catalog. */
async function streamOnce(config: Config): Promise<Engines> {
  const catalog = readCatalog(config.catalogFile);
  const engines = catalog.ok ? createEngines(catalog.value, config, process.env, log) : catalog;
  if (!catalog.ok || !engines.ok) throw new Error('the catalog is not valid');
  const limits = { timeoutMs: config.inferenceTimeoutMs, signal: new AbortController().signal };
  const common = { maxTokens: 16, temperature: 0, stop: [], fields: {}, tools: [] } as const;
  const messages = [{ role: 'user', content: firstPrompt }] as const;
  for (const { id: model } of catalog.value.list()) {
    const task = { kind: 'chat', model, messages, toolChoice: { mode: 'none' }, ...common } as const;
    const engine = engines.value.engineFor(model);
    // The upstreams of a model take turns.
    for (const _ of engine.upstreams ?? []) {
      const stream = engine.stream(task, limits);
      for (let next = await stream.next(); !next.done; next = await stream.next());
    }
  }
  return engines.value;
}
