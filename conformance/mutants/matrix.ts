import type { JudgeOptions } from '../index.ts';
import { mutants } from './all.ts';
import { faultsOfTables } from './alone.ts';
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

/** What a run over all mutants and legal variants found. */
export type Matrix = {
  readonly target: string;
  /** Runs of the sound gateway. */
  readonly runs: number;
  /** Not all mutants were judged: of a requirement without one, nothing is known. */
  readonly isPartial: boolean;
  readonly mutants: readonly Scored<AnyMutant, MutantScore>[];
  readonly variants: readonly Scored<LegalVariant, VariantScore>[];
  readonly unresponsive: readonly Scored<Unresponsive, UnresponsiveScore>[];
  /** Controls that failed: nothing else that was found means anything then. */
  readonly void: readonly string[];
  /** What the tables of mutants owe to the catalogue. */
  readonly owing: readonly string[];
};

/** The gateway that is changed, and its mutants at places that others have not. */
export type Subject = {
  readonly target: Target;
  readonly portMutants: readonly (PortMutant & { readonly target: Target })[];
  /** Where it has them; else the mutants that take them are left out. */
  readonly surroundings?: Readonly<Record<Surroundings, Setting>>;
};

/** A gateway, and how it is judged. */
type Setting = { readonly target: Target; readonly options: Partial<JudgeOptions> };

export type MatrixOptions = {
  /** How often the sound gateway is judged: each time with the same report. */
  readonly repeat: number;
  /** Runs at the same time. */
  readonly jobs: number;
  /** Only mutants and variants whose id starts with this; the tables are then not looked at. */
  readonly only?: string | undefined;
  /** Of so many processes that share the work, which one this is; the first is 0. */
  readonly part?: { readonly index: number; readonly of: number } | undefined;
  readonly onProgress?: (done: number, total: number, id: string) => void;
  /** Called with each result that does not hold, as soon as it is there. */
  readonly onFault?: (id: string, score: AnyScore) => void;
};

const teapot: Edge = { answer: (reply) => ({ ...reply, status: 418 }) };
/** Both targets have it; it is named where none is listed. */
const model = 'alder/alder-mini';

/** Judges the sound gateway, the canary, every mutant, every legal variant, and what gives no answer. */
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
    owing: only === '' ? faultsOfTables() : [],
  };
}

/** The sound gateway is fully green, and each report on it is the first one again. */
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

/** What waits for a network may take its time, so its reports are not compared. */
function settingFaults(run: Run): readonly string[] {
  const fault = soundnessFault(run);
  return fault === undefined ? [] : [`the sound gateway is not green in its surroundings: ${fault}`];
}

/** What answers 418 to everything must be found broken, and nothing about it right. */
function canaryFaults(run: Run): readonly string[] {
  if (run.kind === 'broken') return [`the canary was not judged: ${run.why}`];
  const isDead = run.report.exitCode === 1 && findBrokenRequirements(run.report).includes('unpaid.chat.402');
  return isDead ? [] : [`the canary lives: ${run.report.verdict}`];
}

/** Works on so many at a time; the results are in the order of what there was to do. */
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
