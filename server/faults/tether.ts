import { isMainThread } from 'node:worker_threads';

// Preloaded before the gateway's program. Kills the gateway when the test process ends, also by SIGKILL,
// because the operating system then closes this pipe.
if (isMainThread) {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();
  process.stdin.unref();
}
