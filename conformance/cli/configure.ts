import type { JudgeOptions } from '../engine/judge.ts';
import { emptyScopeFault, type Profile, profilesInOrder, profilesOfAll } from '../engine/scope.ts';
import type { Caps } from '../payment/budget.ts';
import { type KeyRead, keyVariable, readKeyFile, readKeyText } from '../payment/key.ts';
import { smallestUnit, type Typed } from './command.ts';
import { devnetCaps, findDevnetKeyFile } from './devnet.ts';

export type Configured =
  | { readonly ok: true; readonly options: JudgeOptions }
  | { readonly ok: false; readonly usage: string };

const timeoutMsMax = 600_000;

/** Turns the command line into options, or says the first thing to change. */
export function configure(url: string, typed: Typed, environment: NodeJS.ProcessEnv): Configured {
  const fault = urlFault(url);
  if (fault !== undefined) return { ok: false, usage: fault };
  const timeoutMs = Number(typed.timeoutMs);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > timeoutMsMax) {
    return { ok: false, usage: `--timeout-ms is a whole number from 1 to ${timeoutMsMax}` };
  }

  const key = environment[keyVariable];
  const isKeyGiven = key !== undefined || typed.keyFile !== undefined;
  const devnetKey = isKeyGiven || typed.profile !== undefined ? undefined : findDevnetKeyFile(url);
  const profiles = devnetKey === undefined ? profilesNamed(typed.profile ?? 'free') : profilesOfAll;
  if (!profiles) {
    return { ok: false, usage: `--profile names ${profilesInOrder.join(', ')}, or all` };
  }
  const emptyScope = emptyScopeFault({ profiles, filter: typed.filter });
  if (emptyScope !== undefined) return { ok: false, usage: emptyScope };
  const options = {
    targetUrl: url.replace(/\/+$/, ''),
    profiles,
    filter: typed.filter,
    timeoutMs,
    ...(typed.model !== undefined && { model: typed.model }),
  };
  if (!profiles.includes('paid')) return { ok: true, options };

  const caps = capsOf(typed, devnetKey === undefined ? undefined : devnetCaps);
  if (!caps) {
    return {
      ok: false,
      usage: `the profile paid needs --max-total and --max-per-request, whole numbers of the ${smallestUnit}`,
    };
  }
  const read = readKey(typed.keyFile ?? devnetKey, key);
  if (!read.ok) return { ok: false, usage: read.fault };
  return { ok: true, options: { ...options, funded: { privateKey: read.privateKey, caps } } };
}

function readKey(keyFile: string | undefined, key: string | undefined): KeyRead {
  if (keyFile !== undefined) return readKeyFile(keyFile);
  if (key !== undefined) return readKeyText(key, keyVariable);
  return { ok: false, fault: `the profile paid needs a funded key: --key-file or ${keyVariable}` };
}

function urlFault(url: string): string | undefined {
  if (!URL.canParse(url)) return `${url} is not a URL`;
  const { protocol, username, password, search, hash } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'the URL must be http or https';
  if (username !== '' || password !== '') return 'the URL must not carry credentials';
  return search === '' && hash === '' ? undefined : 'the URL must be a base, without query or fragment';
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

function unitsOf(text: string): bigint | undefined {
  return /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
}
