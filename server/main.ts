#!/usr/bin/env node
import { setImmediate as nextTurn } from 'node:timers/promises';
import { findRuntimeFault } from './start/runtime.ts';
import { listenForStop } from './start/stop-signal.ts';

const fault = findRuntimeFault(process.versions.node);
if (fault !== null) {
  console.error(fault);
  process.exit(2);
}
// Listens for signals before it imports the gateway: a supervisor may stop a new process, and the import takes
// longer. The exit code is that of `run-gateway.ts`.
const stop = listenForStop(1);
const { runGateway } = await import('./start/run-gateway.ts');
// A signal from the time of the import arrives in the next turn of the event loop.
await nextTurn();
await runGateway(process.env, stop);
