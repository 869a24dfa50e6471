import type { JudgeOptions } from '../index.ts';
import { mutants } from './all.ts';
import { findTableFaults } from './alone.ts';
import { comparable } from './comparable.ts';
import type { Edge } from './edge.ts';
import type { Mutant, Surroundings } from './mutant.ts';
import type { PortMutant } from './reference/mutants.ts';
import { judgeThrough, type Run } from './run.ts';
import {
  findBrokenRequirements,
  isAsItShould,
  type MutantScore,
  scoreMutant,
  scoreUnresponsive,
  scoreVariant,
  soundnessFault,
  type UnresponsiveScore,
  type VariantScore,
} from './score.ts';
import type { Target } from './target.ts';
import { type Unresponsive, unresponsiveDeployments, unresponsiveLimits } from './unresponsive.ts';
import { legalVariants } from './variants/all.ts';
import type { LegalVariant } from './variants/variant.ts';

type Scored<T, Score> = { readonly subject: T; readonly score: Score };
export type AnyScore = MutantScore | VariantScore | UnresponsiveScore;
type AnyMutant = Omit<Mutant, 'edge' | 'place'> & { readonly place: string };

/** The results of a run over all mutants, legal variants and unresponsive deployments. */
export type Matrix = {
  readonly target: string;
  /** Runs of the sound gateway. */
  readonly runs: number;
  /** Whether `only` excluded some mutants. A requirement without a mutant then has no result. */
  readonly isPartial: boolean;
  readonly mutants: readonly Scored<AnyMutant, MutantScore>[];
  readonly variants: readonly Scored<LegalVariant, VariantScore>[];
  readonly unresponsive: readonly Scored<Unresponsive, UnresponsiveScore>[];
  /** Failed controls. With any of them, the run has no other result. */
  readonly void: readonly string[];
  /** Faults of the tables of mutants, as `findTableFaults` returns them. */
  readonly owing: readonly string[];
};

/** The gateway to change, and the mutants at its own ports. */
export type Subject = {
  readonly target: Target;
  readonly portMutants: readonly (PortMutant & { readonly target: Target })[];
  /** Without these settings, the run omits the mutants that need them. */
  readonly surroundings?: Readonly<Record<Surroundings, Setting>>;
};

/** A gateway, and the options of the runs against it. */
type Setting = { readonly target: Target; readonly options: Partial<JudgeOptions> };

export type MatrixOptions = {
  /** Number of runs against the sound gateway. Each must give the same report. */
  readonly repeat: number;
  /** Number of concurrent runs. */
  readonly jobs: number;
  /** Run only mutants and variants whose id starts with this, and skip the check of the tables. */
  readonly only?: string | undefined;
  /** The index of this process, from 0, and the number of processes that share the runs. */
  readonly part?: { readonly index: number; readonly of: number } | undefined;
  readonly onProgress?: (done: number, total: number, id: string) => void;
  /** Called at once for each result that is not as expected. */
  readonly onFault?: (id: string, score: AnyScore) => void;
};

const teapot: Edge = { respond: (reply) => ({ ...reply, status: 418 }) };
/** A model of both targets, for gateways that list no models. */
const model = 'alder/alder-mini';

/** Runs the suite against the sound gateway, the canary, and all mutants, variants and deployments. */
export async function runMatrix(subject: Subject, options: MatrixOptions): Promise<Matrix> {
  const { target, portMutants, surroundings } = subject;
  const { repeat, jobs, only = '', part = { index: 0, of: 1 }, onProgress, onFault } = options;
  const chosen = <T extends { readonly id: string }>(all: readonly T[]) =>
    all.filter(({ id }) => id.startsWith(only)).filter((_, at) => at % part.of === part.index);
  const [edgeMutants, ports] = [chosen(mutants.filter(({ seenWith }) => !seenWith)), chosen(portMutants)];
  const settings = Object.entries(surroundings ?? {}).map(([name, setting]) => ({
    setting,
    mutants: chosen(mutants.filter(({ seenWith }) => seenWith === name)),
  }));
  const [variants, unresponsives] = [chosen(legalVariants), chosen(unresponsiveDeployments)];
  const inSettings = settings.reduce((sum, each) => sum + 1 + each.mutants.length, 0);
  const total =
    repeat + 1 + inSettings + edgeMutants.length + ports.length + variants.length + unresponsives.length;
  let done = 0;
  async function judged(id: string, edge: Edge, more: Partial<JudgeOptions> = {}, of = target): Promise<Run> {
    const run = await judgeThrough(edge, of, more);
    done += 1;
    onProgress?.(done, total, id);
    return run;
  }
  function scored<T extends { readonly id: string }, Score extends AnyScore>(subject: T, score: Score) {
    if (!isAsItShould(score)) onFault?.(subject.id, score);
    return { subject, score };
  }

  const soundRuns: Run[] = [];
  for (let count = 0; count < repeat; count += 1) soundRuns.push(await judged('the sound gateway', {}));
  const canary = await judged('the canary', teapot, { model });
  const [first] = soundRuns;
  const soundIn: Run[] = [];
  for (const { setting } of settings) {
    soundIn.push(await judged('the sound gateway', {}, setting.options, setting.target));
  }
  const broken = [...controlFaults(soundRuns), ...soundIn.flatMap(settingFaults), ...canaryFaults(canary)];
  const named = { target: target.name, runs: repeat, isPartial: only !== '' };
  const empty = { ...named, mutants: [], variants: [], unresponsive: [], owing: [] };
  if (first?.kind !== 'judged' || broken.length > 0) return { ...empty, void: broken };
  const { report: sound } = first;

  const atEdge = await pooled(jobs, edgeMutants, async (mutant) =>
    scored(mutant, scoreMutant(sound, await judged(mutant.id, mutant.edge()), mutant.kills)),
  );
  const inOthers: Scored<Mutant, MutantScore>[][] = [];
  for (const [index, { setting, mutants: some }] of settings.entries()) {
    const reference = soundIn[index];
    if (reference?.kind !== 'judged') continue;
    const found = await pooled(jobs, some, async (mutant) => {
      const run = await judged(mutant.id, mutant.edge(), setting.options, setting.target);
      return scored(mutant, scoreMutant(reference.report, run, mutant.kills));
    });
    inOthers.push([...found]);
  }
  const atPorts = await pooled(jobs, ports, async ({ target: changed, ...mutant }) =>
    scored(mutant, scoreMutant(sound, await judged(mutant.id, {}, {}, changed), mutant.kills)),
  );
  const legal = await pooled(jobs, variants, async (variant) => {
    const run = await judged(variant.id, variant.edge(), variant.listsNoModels && { model });
    return scored(variant, scoreVariant(sound, run, variant.hides));
  });
  const unresponsive = await pooled(jobs, unresponsives, async (deployment) => {
    const run = await judged(deployment.id, deployment.edge(), { model, ...unresponsiveLimits });
    return scored(deployment, scoreUnresponsive(run));
  });
  return {
    ...empty,
    mutants: [...atEdge, ...inOthers.flat(), ...atPorts],
    variants: legal,
    unresponsive,
    void: [],
    owing: only === '' ? findTableFaults() : [],
  };
}

/** Faults of the runs against the sound gateway: each must be green, with the same report as the first. */
function controlFaults(runs: readonly Run[]): readonly string[] {
  const faults = runs.flatMap((run, index) => {
    const fault = soundnessFault(run);
    return fault === undefined ? [] : [`run ${index + 1} of the sound gateway is not green: ${fault}`];
  });
  const [first, ...others] = runs.map((run) => (run.kind === 'judged' ? comparable(run.report) : []));
  const differences = others.flatMap((lines, index) => {
    const at = lines.findIndex((line, number) => line !== first?.[number]);
    return at < 0 ? [] : [`run ${index + 2} of the sound gateway differs from the first: ${lines[at]}`];
  });
  return [...faults, ...differences];
}

/** Faults of a run in another setting. Its reports are not compared, because network delays change them. */
function settingFaults(run: Run): readonly string[] {
  const fault = soundnessFault(run);
  return fault === undefined ? [] : [`the sound gateway is not green in another setting: ${fault}`];
}

/** Faults of the run against the canary, which returns 418 for every request: the suite must fail it. */
function canaryFaults(run: Run): readonly string[] {
  if (run.kind === 'broken') return [`the run against the canary failed: ${run.why}`];
  const isDead = run.report.exitCode === 1 && findBrokenRequirements(run.report).includes('unpaid.chat.402');
  return isDead ? [] : [`the suite does not fail the canary: ${run.report.verdict}`];
}

/** Runs at most `jobs` items at the same time. The results have the order of the items. */
async function pooled<T, R>(
  jobs: number,
  work: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const entries = work.entries();
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}
