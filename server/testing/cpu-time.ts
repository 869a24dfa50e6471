/**
 * For tests of what work costs: the processor time that this process has used, in milliseconds. A clock on the wall would tell
 * how busy the machine is with others.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
