/**
 * Returns the processor time of this process, in milliseconds, for tests of the cost of work. Elapsed time
 * would include the work of other processes.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
