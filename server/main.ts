#!/usr/bin/env node
import { listenForStop } from './start/stop-signal.ts';

// Listens for signals before it imports the gateway: a supervisor may stop a new process, and the import takes
// longer. The exit code is that of `run-gateway.ts`.
const stop = listenForStop(1);
const { runGateway } = await import('./start/run-gateway.ts');
await runGateway(process.env, stop);
