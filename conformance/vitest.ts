import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { beforeAll, describe, type TestContext, test } from 'vitest';
import type { JudgeOptions } from './engine/judge.ts';
import { applyPolicy } from './engine/policy.ts';
import type { ExpectedFailure, Report } from './engine/report.ts';
import { byRequirement, type RequirementRow } from './report/by-requirement.ts';
import { chooseEnding, describeEnding } from './report/ending.ts';
import { evidenceLines } from './report/evidence.ts';
import { compareSections, sectionTitles } from './report/sections.ts';
import { unreachedLine, verdictLine } from './report/summary.ts';
import { judge } from './suite/judge.ts';

export type ConformanceSuiteOptions = Partial<
  Omit<JudgeOptions, 'targetUrl' | 'onProgress' | 'onOutcome'>
> & {
  /** Whether a MUST that could not be exercised fails or is skipped. Neither counts as passed. */
  readonly inconclusive?: 'fail' | 'skip';
  /** Warnings count as failures. */
  readonly strict?: boolean;
  /** Failures to skip. A listed requirement that passes fails its test until it is removed from the list. */
  readonly expectedFailures?: readonly ExpectedFailure[];
  /** Deadline of the whole run. */
  readonly runTimeoutMs?: number;
};

const runTimeoutMsDefault = 300_000;

/**
 * Runs the suite in the caller's vitest: a `describe` for each section of the contract, a `test` for each
 * requirement. Requirements out of scope are skipped. The target is judged once, before the first test;
 * `target` may be a function that starts it.
 */
export function conformanceSuite(
  target: string | (() => string | Promise<string>),
  options: ConformanceSuiteOptions = {},
): void {
  const { inconclusive = 'fail', runTimeoutMs = runTimeoutMsDefault } = options;
  describe('conformance', () => {
    let ended: Ended | undefined;
    let saidBy: string | undefined;
    beforeAll(async () => {
      ended = await reportOn(typeof target === 'string' ? target : await target(), options);
    }, runTimeoutMs);
    // The first test that runs fails with the usage fault. The other tests are skipped with a short reason.
    const known = ({ task, skip }: Pick<TestContext, 'skip' | 'task'>): Judged => {
      if (ended && 'report' in ended) return ended;
      // vitest may retry the first test, and the retry must fail too.
      saidBy ??= task.id;
      if (saidBy !== task.id) skip('the target was not judged');
      throw new Error(ended?.usage ?? 'the target was not judged');
    };

    // A run that verified nothing skips all other tests, so this test has to fail.
    test('the target answers, and a MUST is verified', (context) => {
      const { report } = known(context);
      const unreached = unreachedLine(report, unreachedCharactersMax);
      if (unreached !== undefined) throw new Error(unreached);
      if (report.must.verified === 0) throw new Error(verdictLine(report));
    });
    for (const [section, ids] of idsBySection()) {
      describe(`${section} ${sectionTitles[section] ?? ''}`.trim(), () => {
        for (const id of ids) test(id, (context) => tell(id, known(context), inconclusive, context));
      });
    }
  });
}

/** Longest quotation of the target, in characters, in the failure of a run that judged nothing. */
const unreachedCharactersMax = 500;

/** A report, and its requirements, which each test looks up. */
type Judged = { readonly report: Report; readonly rows: ReadonlyMap<RequirementId, RequirementRow> };
/** A report, or the fault that the caller has to correct. */
type Ended = Judged | { readonly usage: string };

async function reportOn(targetUrl: string, options: ConformanceSuiteOptions): Promise<Ended> {
  const { inconclusive: _, strict, expectedFailures, runTimeoutMs: __, ...judgeOptions } = options;
  const unknown = expectedFailures?.find(({ requirement }) => !Object.hasOwn(requirements, requirement));
  if (unknown) return { usage: `expectedFailures has the unknown requirement ${unknown.requirement}` };
  const judged = await judge({ profiles: ['free'], filter: undefined, ...judgeOptions, targetUrl });
  if (!judged.ok) return { usage: judged.usage };
  const report = applyPolicy(judged.report, {
    ...(strict !== undefined && { strict }),
    ...(expectedFailures && { expectedFailures }),
  });
  return { report, rows: new Map(byRequirement(report).map((row) => [row.requirement, row])) };
}

function idsBySection(): readonly (readonly [string, readonly RequirementId[]])[] {
  const ids = Object.keys(requirements) as RequirementId[];
  const sections = Map.groupBy(ids, (id) => requirements[id].section);
  return [...sections].sort(([one], [other]) => compareSections(one, other));
}

/**
 * Returns when the requirement passed, throws with the evidence when it failed, otherwise skips with the
 * reason.
 */
function tell(
  id: RequirementId,
  { report, rows }: Judged,
  inconclusive: 'fail' | 'skip',
  context: Pick<TestContext, 'skip'>,
): void {
  const row = rows.get(id);
  if (!row) context.skip('the suite has no check for this requirement');
  const ending = chooseEnding(row, report);
  const isOpen = row.outcome === 'inconclusive' && row.level === 'MUST' && inconclusive === 'fail';
  if (ending === 'failure' || ending === 'error' || isOpen) throw new Error(failureText(row, report));
  if (ending === 'skipped') context.skip(describeEnding(row, report));
}

function failureText(row: RequirementRow, report: Report): string {
  const worst = row.results.filter(({ outcome }) => outcome === row.outcome);
  return [
    describeEnding(row, report),
    `contract ${row.section}: ${row.quote}`,
    ...worst.flatMap((result) => [`${result.title}: ${result.detail}`, ...evidenceLines(result, report)]),
  ].join('\n');
}
