import { isMainThread } from 'node:worker_threads';

// Loaded before a gateway's program: ends it with the harness that started it, however that ends. The operating system
// closes this pipe even when the harness is killed, where no handler of its own could run.
if (isMainThread) {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();
  process.stdin.unref();
}
