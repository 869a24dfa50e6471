import { setTimeout as after } from 'node:timers/promises';
import { seededRandom } from '../testing/seeded-random.ts';
import { systemClock } from '../types/clock.ts';
import { audit } from './audit.ts';
import { describeHistories } from './buyers.ts';
import type { Findings, Scenario, ScenarioContext } from './scenario.ts';
import { createScenarioContext } from './scenario-context.ts';
import { openSharedFixtures, type SharedFixtures } from './shared-fixtures.ts';

export type RunOptions = {
  readonly seed: number;
  /** Number of concurrent scenarios. Those with `alone` run after the others. */
  readonly parallel: number;
  readonly onFindings?: (findings: Findings, done: number, all: number) => void;
};

const scenarioDeadlineMs = 180_000;
const logLinesMax = 15;
const faultsMax = 10;

/**
 * Runs scenarios and returns their findings in order. The seed fixes the choices of each, whatever else runs.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { seed, parallel, onFindings }: RunOptions,
): Promise<readonly Findings[]> {
  const fixtures = await openSharedFixtures();
  const found = new Map<Scenario, Findings>();
  const runAll = async (queue: Scenario[]) => {
    for (let scenario = queue.shift(); scenario !== undefined; scenario = queue.shift()) {
      const findings = await runScenario(scenario, seed, fixtures);
      found.set(scenario, findings);
      onFindings?.(findings, found.size, scenarios.length);
    }
  };
  try {
    const together = scenarios.filter(({ alone }) => !alone);
    await Promise.all(Array.from({ length: parallel }, () => runAll(together)));
    await runAll(scenarios.filter(({ alone }) => alone));
  } finally {
    await fixtures.close();
  }
  return scenarios.flatMap((scenario) => found.get(scenario) ?? []);
}

/** Runs one scenario in its own context and audits the result. An exception counts as a fault. */
export async function runScenario(
  scenario: Scenario,
  seed: number,
  fixtures: SharedFixtures,
): Promise<Findings> {
  const startedAt = systemClock.monotonicMs();
  const findings = (context: ScenarioContext | null, found: Partial<Findings>): Findings => ({
    scenario,
    clientSaw: context
      ? [describeHistories(context.buyers.payments), ...context.notes].join('; ')
      : 'nothing',
    storeSays: 'not read',
    chainSays: 'not read',
    faults: [],
    tookMs: Math.round(systemClock.monotonicMs() - startedAt),
    log: context ? readLastLines(context) : '',
    ...found,
  });
  let context: ScenarioContext | null = null;
  try {
    context = await createScenarioContext(
      scenario,
      seededRandom(seed ^ hashText(`${scenario.name} ${scenario.store}`)),
      fixtures,
    );
    const audited = await withinDeadline(play(scenario, context));
    return findings(context, { ...audited, faults: limitFaults([...context.faults, ...audited.faults]) });
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    return findings(context, { faults: [...(context?.faults ?? []), `the scenario failed: ${what}`] });
  } finally {
    await context?.close();
  }
}

async function play(scenario: Scenario, context: ScenarioContext) {
  await scenario.run(context);
  await context.recover();
  return audit(context);
}

async function withinDeadline<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = after(scenarioDeadlineMs, null, { signal: done.signal }).then(() => {
    throw new Error(`not finished within ${scenarioDeadlineMs / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    await late.catch(() => undefined);
  }
}

/** The different faults, at most ten. */
function limitFaults(faults: readonly string[]): readonly string[] {
  const different = [...new Set(faults)];
  const more = different.length - faultsMax;
  return more > 0 ? [...different.slice(0, faultsMax), `and ${more} more`] : different;
}

function readLastLines({ gateways }: ScenarioContext): string {
  return gateways.map((gateway) => gateway.log().split('\n').slice(-logLinesMax).join('\n')).join('\n---\n');
}

/** FNV-1a, which gives each name its own seed. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
