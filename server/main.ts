#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { endWithCode } from './start/output.ts';
import { findRuntimeFault } from './start/runtime.ts';
import { listenForStop } from './start/stop-signal.ts';

const fault = findRuntimeFault(process.versions.node);
if (fault !== null) {
  console.error(fault);
  process.exit(2);
}
// V8 would place objects of later requests in the old space, where they and the objects that they refer to wait for
// a full collection (D-256).
setFlagsFromString('--no-allocation-site-pretenuring');
// Without it, dead objects in the old space may take three times the memory of the live ones (D-360).
setFlagsFromString('--heap-growing-percent=100');
const [command, ...args] = process.argv.slice(2);
if (command === 'doctor') {
  const { runDoctor } = await import('./doctor/run-doctor.ts');
  await endWithCode(() => runDoctor(process.env, args));
}
if (command === 'export') {
  const { runExport } = await import('./export/run-export.ts');
  process.exit(await runExport(process.env, args));
}
if (command === 'backup') {
  const { runBackup } = await import('./backup/run-backup.ts');
  await endWithCode(() => runBackup(process.env, args));
}
// Listens for signals before it imports the gateway: a supervisor may stop a new process, and the import takes
// longer. The exit code is that of `run-gateway.ts`.
const stop = listenForStop(1);
const { runGateway } = await import('./start/run-gateway.ts');
await runGateway(process.env, stop);
