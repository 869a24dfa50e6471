import type { Reporter, TestModule } from 'vitest/node';

/** The number of files in the report. */
const filesMax = 10;

/** Names the slowest test files at the end of a run, so that a file that became slow is seen. */
export class SlowReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ path: module.relativeModuleId, seconds: measureSeconds(module) }))
      .sort((one, other) => other.seconds - one.seconds);
    const totalSeconds = files.reduce((sum, { seconds }) => sum + seconds, 0);
    const rows = files
      .slice(0, filesMax)
      .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
    if (files.length > 1) {
      console.log(
        `\nThe slowest of ${files.length} test files, which took ${totalSeconds.toFixed(0)} s of the workers:\n${rows.join('\n')}`,
      );
    }
  }
}

/** The time that a test file occupied its worker: its start, its imports, its hooks and its tests. */
function measureSeconds(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  const parts = [environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration];
  return parts.reduce((sum, part) => sum + part, 0) / 1000;
}
