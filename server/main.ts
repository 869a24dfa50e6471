#!/usr/bin/env node
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listenForStop } from './start/stop-signal.ts';

// Before anything else is even read: a supervisor may end a process that it has only just started, and reading the gateway
// takes longer than answering it. The codes are those of `run-gateway.ts`.
const stop = listenForStop(1);
const { runGateway } = await import('./start/run-gateway.ts');
// A signal that came meanwhile is heard in the next turn.
await nextTurn();
await runGateway(process.env, stop);
