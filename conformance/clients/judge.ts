import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unknownPrefixFault } from '../engine/scope.ts';
import { concealSignature } from '../payment/sign.ts';
import { listKeys } from '../report/visible.ts';
import { type Graded, grade, type Judgement } from '../types/verdict.ts';
import { createSecrets, type Secrets } from '../wire/secrets.ts';
import { clientRequirements, type Listed, scenarios } from './catalogue.ts';
import { systemClock } from './clock.ts';
import { describeScenario } from './describe.ts';
import { type Devnet, startDevnet } from './devnet/devnet.ts';
import { play } from './play.ts';
import type { Buyer } from './purchase.ts';
import { listSigned, type Played } from './recording.ts';
import { type ClientReport, type ClientResult, createClientReport } from './report.ts';
import { buys } from './rules.ts';
import type { Reference, Scenario } from './scenario.ts';
import { plainScenario } from './scenarios/purchases.ts';
import { signing } from './signing.ts';

export type ClientOptions = {
  /** The command, for the report. */
  readonly command: readonly string[];
  readonly buyer: Buyer;
  /** Judges only requirements whose id begins with one of these. */
  readonly filter?: readonly string[];
  readonly deadlineSeconds?: number;
  readonly silenceSeconds?: number;
  /** Plays all scenarios at the same time, for clients without a common state. */
  readonly isParallel?: boolean;
  readonly signal?: AbortSignal;
  readonly clock?: () => Date;
  readonly onScenario?: (scenario: Scenario, done: number, total: number) => void;
};

export type ClientJudged =
  | { readonly ok: true; readonly report: ClientReport }
  | { readonly ok: false; readonly usage: string };

/** Deadline of one run of the command. */
export const purchaseDeadlineSecondsDefault = 60;
/** How long a silent gateway keeps the connection open. */
export const silenceSecondsDefault = 5;
const detailCharactersMax = 400;

/** Judges a client: it buys at honest and dishonest gateways, and its payments decide. */
export async function judgeClient(options: ClientOptions): Promise<ClientJudged> {
  const unknown = options.filter?.find((prefix) =>
    clientRequirements.every(({ id }) => !isInScope(id, [prefix])),
  );
  if (unknown !== undefined) return { ok: false, usage: unknownPrefixFault(unknown) };
  let devnet: Devnet;
  try {
    devnet = await startDevnet();
  } catch (error) {
    return { ok: false, usage: `the devnet cannot start: ${(error as Error).message}` };
  }
  const folder = mkdtempSync(join(tmpdir(), 'conformance-client-'));
  try {
    const keyFile = join(folder, 'payer.key');
    writeFileSync(keyFile, `${devnet.payer.privateKey}\n`, { mode: 0o600 });
    return await judgeOn(devnet, keyFile, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await devnet.stop();
  }
}

async function judgeOn(devnet: Devnet, keyFile: string, options: ClientOptions): Promise<ClientJudged> {
  const { clock = systemClock, signal, silenceSeconds = silenceSecondsDefault } = options;
  const { deadlineSeconds = purchaseDeadlineSecondsDefault } = options;
  const startedAt = clock();
  const wanted = scenarios.filter((scenario) => isWanted(scenario, options.filter));
  const all: Played[] = [];
  const port = { devnet, keyFile, buyer: options.buyer, silenceMs: silenceSeconds * 1_000, clock };
  const playNext = async (scenario: Scenario) => {
    if (signal?.aborted) return;
    options.onScenario?.(scenario, all.length, wanted.length);
    all.push(await play(scenario, port, signal));
  };
  const [first, ...others] = wanted;
  if (first !== undefined) await playNext(first);
  const unstartable = all[0]?.ends[0]?.unstartable;
  if (unstartable !== undefined) return { ok: false, usage: `the command cannot start: ${unstartable}` };
  if (options.isParallel) await Promise.all(others.map(playNext));
  else for (const scenario of others) await playNext(scenario);

  // A scenario that a signal cut off shows nothing.
  const ended = signal?.aborted ? all.slice(0, -1) : all;
  const played = wanted.flatMap(({ id }) => ended.filter(({ scenario }) => scenario === id));
  const secrets = createConcealed(devnet, played, options.command);
  const report = createClientReport({
    command: options.command.map((word) => secrets.redact(word)),
    startedAt: startedAt.toISOString(),
    durationMs: clock().getTime() - startedAt.getTime(),
    deadlineSeconds,
    silenceSeconds,
    isInterrupted: signal?.aborted ?? false,
    spentUnits: (await devnet.spentUnits()).toString(),
    results: clientRequirements.map((each) => judgeOne(each, played, options.filter, secrets)),
    scenarios: played.map((each) => describeScenario(each, secrets)),
  });
  return { ok: true, report };
}

/** Whether a scenario shows a requirement in scope. The plain purchase is the reference for others. */
function isWanted({ id, requirements }: Scenario, filter: readonly string[] | undefined): boolean {
  const isWhole = signing.some((each) => isInScope(each.id, filter));
  return isWhole || id === plainScenario || requirements.some((each) => isInScope(each.id, filter));
}

function isInScope(id: string, filter: readonly string[] | undefined): boolean {
  return filter === undefined || filter.some((prefix) => id.startsWith(prefix));
}

function judgeOne(
  listed: Listed,
  all: readonly Played[],
  filter: readonly string[] | undefined,
  secrets: Secrets,
): ClientResult {
  const { scenario = null, ...common } = listed;
  const graded: Graded = isInScope(listed.id, filter)
    ? grade(listed.level, findVerdict(listed, all))
    : { outcome: 'disabled', detail: '' };
  return { ...common, scenario, ...graded, detail: secrets.redact(graded.detail, detailCharactersMax) };
}

function findVerdict({ id, scenario }: Listed, all: readonly Played[]): Judgement {
  const whole = signing.find((each) => each.id === id);
  if (whole !== undefined) return whole.judge(all);
  const played = all.find((each) => each.scenario === scenario);
  const requirement = scenarios.flatMap(({ requirements }) => requirements).find((each) => each.id === id);
  if (played === undefined || requirement === undefined) return notPlayed;
  return requirement.judge(played, createReference(all));
}

const notPlayed: Judgement = { kind: 'unknown', reason: 'the run ended before this scenario' };

function createReference(all: readonly Played[]): Reference {
  const plain = all.find(({ scenario }) => scenario === plainScenario);
  return {
    canBuy: plain !== undefined && buys(plain).kind === 'holds',
    endsWithZero: plain?.ends.every(({ exitCode }) => exitCode === 0) ?? false,
  };
}

/** The secrets of a run: the payer's key, payments and signatures, and a key in the command. */
function createConcealed({ payer }: Devnet, all: readonly Played[], command: readonly string[]): Secrets {
  const secrets = createSecrets();
  for (const key of listKeys(command)) secrets.conceal(key, '<secret>');
  secrets.conceal(payer.privateKey, '<key>');
  for (const { payment } of all.flatMap(listSigned)) {
    secrets.conceal(payment.text, '<payment>');
    concealSignature(payment.signature, secrets);
  }
  return secrets;
}
