#!/usr/bin/env node
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listenForStop } from './start/stop-signal.ts';

// Listens for signals before it imports the gateway: a supervisor may stop a new process, and the import takes
// longer. The exit code is that of `run-gateway.ts`.
const stop = listenForStop(1);
const { runGateway } = await import('./start/run-gateway.ts');
// A signal from the time of the import arrives in the next turn of the event loop.
await nextTurn();
await runGateway(process.env, stop);
