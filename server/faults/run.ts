import { setTimeout as after } from 'node:timers/promises';
import { seededRandom } from '../testing/seeded-random.ts';
import { systemClock } from '../types/clock.ts';
import { audit } from './audit.ts';
import { storiesOf } from './buyers.ts';
import type { Findings, Scenario, ScenarioContext } from './scenario.ts';
import { createScenarioContext } from './scenario-context.ts';
import { openSharedFixtures, type SharedFixtures } from './shared-fixtures.ts';

export type RunOptions = {
  readonly seed: number;
  /** Scenarios at once; those that are alone wait until the others are through. */
  readonly parallel: number;
  readonly onFindings?: (findings: Findings, done: number, all: number) => void;
};

const scenarioDeadlineMs = 180_000;
const logLinesMax = 15;
const faultsMax = 10;

/** Runs scenarios, and returns what came of each in their order. A seed makes the same choices in each, whatever else runs. */
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

/** Runs one scenario in a context of its own, and audits what is left. An exception is a fault like any other. */
export async function runScenario(
  scenario: Scenario,
  seed: number,
  fixtures: SharedFixtures,
): Promise<Findings> {
  const startedAt = systemClock.monotonicMs();
  const findings = (context: ScenarioContext | null, found: Partial<Findings>): Findings => ({
    scenario,
    clientSaw: context ? [storiesOf(context.buyers.payments), ...context.notes].join('; ') : 'nothing',
    storeSays: 'not read',
    chainSays: 'not read',
    faults: [],
    tookMs: Math.round(systemClock.monotonicMs() - startedAt),
    log: context ? lastLinesOf(context) : '',
    ...found,
  });
  let context: ScenarioContext | null = null;
  try {
    context = await createScenarioContext(
      scenario,
      seededRandom(seed ^ hashOf(`${scenario.name} ${scenario.store}`)),
      fixtures,
    );
    const audited = await withinDeadline(play(scenario, context));
    return findings(context, { ...audited, faults: tersely([...context.faults, ...audited.faults]) });
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    return findings(context, { faults: [...(context?.faults ?? []), `it did not come to an end: ${what}`] });
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
    throw new Error(`not within ${scenarioDeadlineMs / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    await late.catch(() => undefined);
  }
}

/** Each once, and not more of them than anybody reads. */
function tersely(faults: readonly string[]): readonly string[] {
  const different = [...new Set(faults)];
  const more = different.length - faultsMax;
  return more > 0 ? [...different.slice(0, faultsMax), `and ${more} more`] : different;
}

function lastLinesOf({ gateways }: ScenarioContext): string {
  return gateways.map((gateway) => gateway.log().split('\n').slice(-logLinesMax).join('\n')).join('\n---\n');
}

/** FNV-1a: a seed of its own for every name. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
