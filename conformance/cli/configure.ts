import { endpoints } from '@paid-inference/contract/constants';
import { type JudgeOptions, limitsFault } from '../engine/judge.ts';
import { emptyScopeFault, type Profile, profilesInOrder, profilesOfAll } from '../engine/scope.ts';
import type { Funded } from '../payment/budget.ts';
import { journalFileDefault } from '../payment/journal.ts';
import { type KeyRead, keyVariable, readKeyFile, readKeyText } from '../payment/key.ts';
import { addressPattern } from '../payment/offer.ts';
import type { Pins } from '../payment/refusal.ts';
import type { Caps } from '../payment/spending.ts';
import { isLoopback } from '../wire/origin.ts';
import type { Typed } from './command.ts';
import { devnetCaps, devnetKeyAdvice, findDevnetKeyFile } from './devnet.ts';
import { smallestUnit } from './unit.ts';

/** All of a run but its journal, which is not opened before it is needed. */
export type Configuration = Omit<JudgeOptions, 'funded'> & {
  readonly funded?: Omit<Funded, 'journal'> & { readonly journalFile: string };
};
export type Configured =
  | { readonly ok: true; readonly options: Configuration }
  | { readonly ok: false; readonly usage: string };

const timeoutMsMax = 600_000;
const deadlineSecondsMax = 86_400;
const rateMax = 1_000;
const paymentsMaxLargest = 1_000;

/** Turns the command line into options, or says the first thing to change. */
export function configure(url: string, typed: Typed, environment: NodeJS.ProcessEnv): Configured {
  const fault = urlFault(url);
  if (fault !== undefined) return { ok: false, usage: fault };
  const timeoutMs = Number(typed.timeoutMs);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > timeoutMsMax) {
    return { ok: false, usage: `--timeout-ms is a whole number from 1 to ${timeoutMsMax}` };
  }
  const deadline = typed.deadlineSeconds === undefined ? undefined : Number(typed.deadlineSeconds);
  if (
    deadline !== undefined &&
    !(Number.isInteger(deadline) && deadline >= 1 && deadline <= deadlineSecondsMax)
  ) {
    return { ok: false, usage: `--deadline-seconds is a whole number from 1 to ${deadlineSecondsMax}` };
  }
  const rate = typed.rate === undefined ? undefined : Number(typed.rate);
  if (rate !== undefined && !(rate > 0 && rate <= rateMax)) {
    return { ok: false, usage: `--rate is a number of requests a second, above 0 and up to ${rateMax}` };
  }
  const seed = typed.seed === undefined ? undefined : Number(typed.seed);
  if (seed !== undefined && (seed | 0) !== seed) {
    return { ok: false, usage: '--seed is a whole number of 32 bits, as a report names it' };
  }
  if (typed.path !== undefined && !/^\d+(:\d+)*$/.test(typed.path)) {
    return { ok: false, usage: '--path is what a report names beside its seed, such as 3:0:1' };
  }

  const key = environment[keyVariable];
  const isKeyGiven = key !== undefined || typed.keyFile !== undefined;
  const devnetKey = isKeyGiven || typed.profile !== undefined ? undefined : findDevnetKeyFile(url);
  const profiles = devnetKey === undefined ? profilesNamed(typed.profile ?? 'free') : profilesOfAll;
  if (!profiles) {
    return {
      ok: false,
      usage: `--profile ${typed.profile}: it names ${profilesInOrder.join(', ')}, or all`,
    };
  }
  const node = [typed.chainRpc, typed.ledgerRpc].find((text) => text !== undefined && !isNodeUrl(text));
  // It is not repeated: the URL of a node may hold an account.
  if (node !== undefined) return { ok: false, usage: '--chain-rpc and --ledger-rpc are http or https URLs' };
  if (!profiles.includes('paid') && (typed.chainRpc ?? typed.ledgerRpc) !== undefined) {
    return { ok: false, usage: '--chain-rpc and --ledger-rpc show payments: they need --profile paid' };
  }
  if (profiles.includes('limits') && !typed.iOwnThisTarget) return { ok: false, usage: limitsFault };
  const [filter, ...filters] = typed.filter ?? [];
  if (filters.length > 0) {
    // The first would be forgotten, and a run over half of what was meant looks like one over all of it.
    const all = typed.filter?.map((each) => `--filter ${each}`).join(' and ');
    return { ok: false, usage: `${all}: it takes one prefix, so run the suite once for each` };
  }
  const emptyScope = emptyScopeFault({ profiles, filter });
  if (emptyScope !== undefined) return { ok: false, usage: emptyScope };
  const options = {
    targetUrl: url.replace(/\/+$/, ''),
    profiles,
    filter,
    timeoutMs,
    ...(deadline !== undefined && { deadlineSeconds: deadline }),
    ...(typed.model !== undefined && { model: typed.model }),
    ...(rate !== undefined && { requestsPerSecondMax: rate }),
    ...(typed.iOwnThisTarget && { isOwnTarget: true }),
    ...(typed.chainRpc !== undefined && { chainRpcUrl: typed.chainRpc }),
    ...(typed.ledgerRpc !== undefined && { ledgerRpcUrl: typed.ledgerRpc }),
    ...(seed !== undefined && { fuzzSeed: seed }),
    ...(typed.path !== undefined && { fuzzPath: typed.path }),
  };
  if (!profiles.includes('paid')) return { ok: true, options };

  const caps = capsOf(typed, devnetKey === undefined ? undefined : devnetCaps);
  if (!caps) {
    return {
      ok: false,
      usage: `the profile paid needs --max-total and --max-per-request, whole numbers of the ${smallestUnit}`,
    };
  }
  const pins = pinsOf(typed);
  if (!pins) return { ok: false, usage: '--pay-to and --asset are addresses: 20 bytes in 0x-prefixed hex' };
  const payments = typed.maxPayments === undefined ? undefined : Number(typed.maxPayments);
  if (
    payments !== undefined &&
    !(Number.isInteger(payments) && payments >= 0 && payments <= paymentsMaxLargest)
  ) {
    return { ok: false, usage: `--max-payments is a whole number up to ${paymentsMaxLargest}` };
  }
  const read = readKey(typed.keyFile ?? devnetKey, key, url);
  if (!read.ok) return { ok: false, usage: read.fault };
  const funded = {
    privateKey: read.privateKey,
    caps: { ...caps, ...(payments !== undefined && { payments }) },
    pins,
    journalFile: typed.journal ?? journalFileDefault,
  };
  return { ok: true, options: { ...options, funded } };
}

function readKey(keyFile: string | undefined, key: string | undefined, url: string): KeyRead {
  if (keyFile !== undefined) return readKeyFile(keyFile);
  if (key !== undefined) return readKeyText(key, keyVariable);
  const where = isLoopback(url) ? `; ${devnetKeyAdvice}` : '';
  return { ok: false, fault: `the profile paid needs a funded key: --key-file or ${keyVariable}${where}` };
}

function urlFault(url: string): string | undefined {
  // A host with its port is no URL, or one of a protocol that is called like the host.
  const isHost = !url.includes('://') && URL.canParse(`http://${url}`);
  if (isHost) return `${url} is not a URL of http or https: is http://${url} meant?`;
  if (!URL.canParse(url)) return `${url} is not a URL`;
  const { protocol, username, password, search, hash } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'the URL must be http or https';
  if (username !== '' || password !== '') return 'the URL must not carry credentials';
  if (search !== '' || hash !== '') return 'the URL must be a base, without query or fragment';
  return versionFault(url.replace(/\/+$/, ''));
}

/** The base URL as clients of other APIs have it, or the URL of an endpoint: what is sent would begin with the version twice. */
function versionFault(url: string): string | undefined {
  const paths = Object.values(endpoints).map(({ path }) => path);
  const version = `/${paths[0]?.split('/')[1]}`;
  const path = [version, ...paths].find((each) => url.endsWith(each));
  if (path === undefined) return undefined;
  const base = url.slice(0, -path.length);
  return `${version} is part of the paths that the suite asks for, and not of the base URL: is ${base} meant?`;
}

function isNodeUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function profilesNamed(text: string): readonly Profile[] | undefined {
  const names = text.split(',').flatMap((name) => (name === 'all' ? profilesOfAll : [name]));
  const known: readonly string[] = profilesInOrder;
  if (!names.every((name) => known.includes(name))) return undefined;
  return profilesInOrder.filter((profile) => names.includes(profile));
}

function capsOf({ maxTotal, maxPerRequest }: Typed, fallback: Caps | undefined): Caps | undefined {
  const totalUnits = maxTotal === undefined ? fallback?.totalUnits : unitsOf(maxTotal);
  const perRequestUnits = maxPerRequest === undefined ? fallback?.perRequestUnits : unitsOf(maxPerRequest);
  return totalUnits === undefined || perRequestUnits === undefined
    ? undefined
    : { totalUnits, perRequestUnits };
}

function pinsOf({ payTo, asset }: Typed): Pins | undefined {
  const areAddresses = [payTo, asset].every((text) => text === undefined || addressPattern.test(text));
  if (!areAddresses) return undefined;
  return { ...(payTo !== undefined && { payTo }), ...(asset !== undefined && { asset }) };
}

function unitsOf(text: string): bigint | undefined {
  return /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
}
