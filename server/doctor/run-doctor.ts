import { createKeccak } from '../chain/keccak.ts';
import type { Environment } from '../config/environment.ts';
import type { ReadConfig } from '../config/load.ts';
import { showControls } from '../observe/pretty-line.ts';
import { checkCatalog } from '../start/check-config.ts';
import { commands } from '../start/commands.ts';
import { readSettings } from '../start/read-settings.ts';
import { hideGivenKeys, toLine } from '../start/report-faults.ts';
import { systemClock } from '../types/clock.ts';
import { count } from '../types/count.ts';
import { checkAttestation } from './check-attestation.ts';
import { checkChain } from './check-chain.ts';
import { checkCompletions } from './check-completions.ts';
import { checkGateway } from './check-gateway.ts';
import { checkModels } from './check-models.ts';
import { checkProofLedger } from './check-proof-ledger.ts';
import { checkPublicUrl } from './check-public-url.ts';
import { checkSettings } from './check-settings.ts';
import { checkStore } from './check-store.ts';
import type { Deployment } from './deployment.ts';
import { type DoctorOptions, doctorHelp, readDoctorOptions } from './doctor-options.ts';
import { type CheckName, checkNames, type Finding, failed, type Status, worstOf } from './finding.ts';

const exitCode = { sound: 0, failed: 1, usage: 2 } as const;

type Given = { readonly read: ReadConfig; readonly environment: Environment };
type Report = (found: readonly Finding[]) => void;

/** Runs the command, and returns its exit code. */
export async function runDoctor(variables: Environment, args: readonly string[]): Promise<number> {
  const read = readDoctorOptions(variables, args);
  if (!read.ok) {
    console.error(toLine(`Wrong usage: ${read.fault}. ${commands.doctor} --help lists all options.`));
    return exitCode.usage;
  }
  const { json, strict, help } = read.value;
  if (help) {
    console.log(doctorHelp);
    return exitCode.sound;
  }
  const settings = readSettings(variables, read.value);
  const given = settings.ok ? listGiven(settings.value) : [];
  const found: Finding[] = [];
  const report: Report = (group) => {
    const shown = group.map((each) => ({ ...each, text: hideGivenKeys(each.text, ...given) }));
    found.push(...shown);
    if (!json) for (const each of shown) console.log(formatLine(each));
  };
  if (settings.ok) await checkAll(settings.value.read, settings.value.environment, read.value, report);
  else report([failed('settings', settings.fault)]);

  const status = worstOf(found);
  console.log(json ? JSON.stringify({ status, checks: found }, null, 2) : `\n${summarize(found)}`);
  if (found.some((each) => each.check === 'settings' && each.status === 'failed')) return exitCode.usage;
  return status === 'failed' || (strict && status === 'warning') ? exitCode.failed : exitCode.sound;
}

/** The texts of the operator. A fault may repeat the name of an unknown setting. */
function listGiven({ read: { settings, faults }, environment }: Given): readonly object[] {
  return [environment, settings, faults];
}

/** Runs the checks at the same time, and reports their groups in the order of `checkNames`. */
async function checkAll(
  read: ReadConfig,
  environment: Environment,
  { completions }: Pick<DoctorOptions, 'completions'>,
  report: Report,
): Promise<void> {
  report(checkSettings(read));
  const { loaded } = read;
  if (loaded === null) {
    const catalog = checkCatalog(read, environment);
    if (!catalog.ok) report(catalog.fault.map((fault) => failed('models', fault)));
    return;
  }
  const deployment: Deployment = { loaded, environment, clock: systemClock };
  const { chain } = loaded.config;
  const keccak = await createKeccak();
  const groups = [
    guard('models', checkModels(deployment)),
    ...(completions ? [guard('completions', checkCompletions(deployment))] : []),
    guard('store', checkStore(deployment)),
    ...(chain ? [guard('chain', checkChain({ ...deployment, chain }, keccak))] : []),
    guard('proof-ledger', checkProofLedger(deployment)),
    guard('attestation', checkAttestation(deployment, keccak)),
    guard('gateway', checkGateway(deployment)),
    guard('public-url', checkPublicUrl(deployment)),
  ];
  for (const group of groups) report(await group);
}

/** A defect of one check must not hide the results of the others. */
async function guard(check: CheckName, found: Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await found;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return [failed(check, `the check itself failed: ${why}. Report this defect`)];
  }
}

const nameWidth = Math.max(...checkNames.map((name) => name.length));

/** Texts of nodes and servers may contain control characters. */
function formatLine({ status, check, text }: Finding): string {
  return `${status.padEnd(7)}  ${check.padEnd(nameWidth)}  ${showControls(text)}`;
}

function summarize(found: readonly Finding[]): string {
  const of = (status: Status) => found.filter((each) => each.status === status).length;
  return `${of('failed')} failed, ${count(of('warning'), 'warning')}, ${of('ok')} ok`;
}
