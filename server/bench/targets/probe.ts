import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a server under test with `--import`. It measures how late the event loop is, from one message of
// the benchmark to the next, and sends the result.

/** The time between two readings. An event loop that is on time shows this value. */
const resolutionMs = 1;
const nanosecondsPerMs = 1e6;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  process.on('message', () => {
    const late = (share: number) => Math.max(0, delay.percentile(share) / nanosecondsPerMs - resolutionMs);
    process.send?.({ p50Ms: late(50), p99Ms: late(99) });
    delay.reset();
  });
  // The channel must not keep the process running.
  process.channel?.unref();
}
