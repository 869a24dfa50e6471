import { spawn } from 'node:child_process';

// Runs the given command while this process's standard input is open. The operating system closes that pipe
// when the gateway ends in any way, also by SIGKILL, when no handler of the gateway could run.
// Usage: node keep-anvil.ts <binary> [options]

/** Anvil has nothing to save, so a second is enough. */
const exitDeadlineMs = 1_000;

const [binary, ...options] = process.argv.slice(2);
if (binary === undefined) throw new Error('usage: node keep-anvil.ts <binary> [options]');

const anvil = spawn(binary, options, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
anvil.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
anvil.on('exit', (code) => process.exit(code ?? 1));

function end(): void {
  anvil.kill('SIGTERM');
  setTimeout(() => anvil.kill('SIGKILL'), exitDeadlineMs);
}

process.stdin.on('close', end).on('error', end).resume();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
