import { endpoints } from '@paid-inference/contract/constants';
import { limitsFault } from '../engine/judge.ts';
import {
  emptyScopeFault,
  hasRandomBodies,
  type Profile,
  profilesInOrder,
  profilesOfAll,
  randomIds,
  type Scope,
} from '../engine/scope.ts';
import { journalFileDefault } from '../payment/journal.ts';
import { type KeyRead, keyVariable, readKeyFile, readKeyText } from '../payment/key.ts';
import { isPin, type Pins, pinForm } from '../payment/refusal.ts';
import type { Caps } from '../payment/spending.ts';
import { isLoopback } from '../wire/origin.ts';
import type { Configuration, Typed } from './configuration.ts';
import { devnetCaps, devnetKeyAdvice, findDevnetKeyFile } from './devnet.ts';
import { type Numbers, readNumbers } from './numbers.ts';
import { smallestUnit } from './unit.ts';

export type Configured =
  | { readonly ok: true; readonly options: Configuration }
  | { readonly ok: false; readonly usage: string };

/** Options that belong to the profile paid. Without `--profile`, any of them selects it (D-153). */
const optionsOfPaid = {
  keyFile: '--key-file',
  maxTotal: '--max-total',
  maxPerRequest: '--max-per-request',
  maxPayments: '--max-payments',
  payTo: '--pay-to',
  asset: '--asset',
  journal: '--journal',
  chainRpc: '--chain-rpc',
  ledgerRpc: '--ledger-rpc',
} as const satisfies Partial<Record<keyof Typed, string>>;

/** Turns the command line into options, or returns the first fault to correct. */
export function configure(url: string, typed: Typed, environment: NodeJS.ProcessEnv): Configured {
  const fault = urlFault(url) ?? valueFault(typed);
  if (fault !== undefined) return { ok: false, usage: fault };
  const numbers = readNumbers(typed);
  if (!numbers.ok) return numbers;
  // A missing key file is a mistake of the caller with any profile, so the file is always read.
  const keyOfFile = typed.keyFile === undefined ? undefined : readKeyFile(typed.keyFile);
  if (keyOfFile && !keyOfFile.ok) return { ok: false, usage: `--key-file ${keyOfFile.fault}` };

  const key = environment[keyVariable];
  const isKeyGiven = key !== undefined || typed.keyFile !== undefined;
  const devnetKey = isKeyGiven || typed.profile !== undefined ? undefined : findDevnetKeyFile(url);
  const paying = optionOfPaid(typed);
  const isAll = devnetKey !== undefined || (typed.profile === undefined && paying !== undefined);
  const profiles = isAll ? profilesOfAll : profilesNamed(typed.profile ?? 'free');
  if (!profiles) {
    return {
      ok: false,
      usage: `--profile ${typed.profile} is unknown. Use ${profilesInOrder.join(', ')}, or all`,
    };
  }
  const scopeFault = profilesFault(profiles, typed);
  if (scopeFault !== undefined) return { ok: false, usage: scopeFault };
  const options = buildOptions(url, profiles, typed, numbers);
  if (!profiles.includes('paid')) return { ok: true, options };

  const capped = readCaps(typed, devnetKey === undefined ? undefined : devnetCaps);
  if (!capped.ok) return capped;
  const pins = readPins(typed);
  if (!pins)
    return {
      ok: false,
      usage: `--pay-to and --asset ${pinForm}`,
    };
  const read = keyOfFile ?? readKey(devnetKey, key, url);
  if (!read.ok) return { ok: false, usage: read.fault };
  const { payments } = numbers;
  const funded = {
    privateKey: read.privateKey,
    caps: { ...capped.caps, ...(payments !== undefined && { payments }) },
    pins,
    journalFile: typed.journal ?? journalFileDefault,
  };
  return { ok: true, options: { ...options, funded } };
}

function buildOptions(
  url: string,
  profiles: readonly Profile[],
  typed: Typed,
  { timeoutMs, deadlineSeconds, rate, seed }: Numbers & { readonly ok: true },
): Configuration {
  return {
    targetUrl: url.replace(/\/+$/, ''),
    profiles,
    filter: typed.filter,
    timeoutMs,
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(typed.model !== undefined && { model: typed.model }),
    ...(rate !== undefined && { requestsPerSecondMax: rate }),
    ...(typed.iOwnThisTarget && { isOwnTarget: true }),
    ...(typed.chainRpc !== undefined && { chainRpcUrl: typed.chainRpc }),
    ...(typed.ledgerRpc !== undefined && { ledgerRpcUrl: typed.ledgerRpc }),
    ...(seed !== undefined && { fuzzSeed: seed }),
    ...(typed.path !== undefined && { fuzzPath: typed.path }),
  };
}

/** The first fault that a value has by itself, with any profile. */
function valueFault(typed: Typed): string | undefined {
  for (const [name, value] of Object.entries(typed)) {
    const isEmpty = [value].flat().some((text) => typeof text === 'string' && text.trim() === '');
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (isEmpty) return `${option} is empty. Give it a value, or leave the option out`;
  }
  if (typed.path !== undefined && !/^\d+(:\d+)*$/.test(typed.path)) {
    return '--path must be the path that a report names next to the seed, such as 3:0:1';
  }
  const node = [typed.chainRpc, typed.ledgerRpc].find((text) => text !== undefined && !isNodeUrl(text));
  // The URL of a node may contain credentials, so the message does not repeat it.
  return node === undefined ? undefined : '--chain-rpc and --ledger-rpc must be http or https URLs';
}

/** The first fault in the combination of profiles and options. */
function profilesFault(profiles: readonly Profile[], typed: Typed): string | undefined {
  const paying = optionOfPaid(typed);
  if (paying !== undefined && !profiles.includes('paid')) {
    return `${paying} needs the profile paid, but --profile names ${profiles.join(' and ')}. Add paid, or leave ${paying} out`;
  }
  if (profiles.includes('limits') && !typed.iOwnThisTarget) return limitsFault;
  if (typed.iOwnThisTarget && !profiles.includes('limits')) {
    return `--i-own-this-target needs the profile limits, but the profiles are ${profiles.join(' and ')}. Add limits, or leave the option out`;
  }
  const { filter } = typed;
  return emptyScopeFault({ profiles, filter }) ?? randomFault({ profiles, filter }, typed);
}

/** The fault of an option for random bodies in a run that sends none. */
function randomFault(scope: Scope, { seed, path }: Typed): string | undefined {
  if (hasRandomBodies(scope)) return undefined;
  const option = path === undefined ? '--seed' : '--path';
  return seed === undefined && path === undefined
    ? undefined
    : `${option} needs random bodies, and this run has none. Select them with ${randomIds.map((id) => `--filter ${id}`).join(' or ')} and --profile free, or leave ${option} out`;
}

/** The first option of the profile paid that was typed. */
function optionOfPaid(typed: Typed): string | undefined {
  const names = Object.keys(optionsOfPaid) as (keyof typeof optionsOfPaid)[];
  const name = names.find((each) => typed[each] !== undefined);
  return name && optionsOfPaid[name];
}

function readKey(devnetKey: string | undefined, key: string | undefined, url: string): KeyRead {
  if (devnetKey !== undefined) return readKeyFile(devnetKey);
  if (key !== undefined) return readKeyText(key, keyVariable);
  const where = isLoopback(url) ? `; ${devnetKeyAdvice}` : '';
  return {
    ok: false,
    fault: `the profile paid needs a funded key. Give --key-file or set ${keyVariable}${where}`,
  };
}

function urlFault(url: string): string | undefined {
  // `localhost:8402` parses as a URL with the protocol `localhost:`.
  const isHost = !url.includes('://') && URL.canParse(`http://${url}`);
  if (isHost) return `${url} is not an http or https URL. Do you mean http://${url}?`;
  if (!URL.canParse(url)) return `${url} is not a URL`;
  if (/\s/.test(url)) return 'the URL has a blank; remove it';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'the URL must be http or https';
  if (username !== '' || password !== '') return 'the URL must not contain a user name or password';
  if (/[?#]/.test(url)) return 'the URL must be a base URL, without query or fragment';
  return versionFault(url.replace(/\/+$/, ''));
}

/**
 * Rejects a base URL with the version, as clients of other APIs use it, and the URL of an endpoint. The suite
 * appends the version itself.
 */
function versionFault(url: string): string | undefined {
  const paths = Object.values(endpoints).map(({ path }) => path);
  const version = `/${paths[0]?.split('/')[1]}`;
  const path = [version, ...paths].find((each) => url.endsWith(each));
  if (path === undefined) return undefined;
  const base = url.slice(0, -path.length);
  return `the base URL must not contain ${version}, because the suite appends it. Do you mean ${base}?`;
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

type Capped = { readonly ok: true; readonly caps: Caps } | { readonly ok: false; readonly usage: string };

function readCaps(typed: Typed, fallback: Caps | undefined): Capped {
  const { maxTotal, maxPerRequest } = typed;
  const totalUnits = maxTotal === undefined ? fallback?.totalUnits : parseUnits(maxTotal);
  const perRequestUnits = maxPerRequest === undefined ? fallback?.perRequestUnits : parseUnits(maxPerRequest);
  if (totalUnits !== undefined && perRequestUnits !== undefined) {
    return { ok: true, caps: { totalUnits, perRequestUnits } };
  }
  return { ok: false, usage: capsFault(typed) };
}

function capsFault({ maxTotal, maxPerRequest, keyFile, profile }: Typed): string {
  if (maxTotal === undefined && maxPerRequest === undefined) {
    const selects = profile === undefined && keyFile !== undefined;
    return selects
      ? `--key-file selects the profiles free, signed and paid, and paid needs --max-total and --max-per-request, in the ${smallestUnit}. Add both caps, or replace --key-file by --profile free,signed`
      : `the profile paid needs --max-total and --max-per-request: whole numbers, in the ${smallestUnit}`;
  }
  const caps = [
    ['--max-total', maxTotal],
    ['--max-per-request', maxPerRequest],
  ] as const;
  for (const [option, text] of caps) {
    if (text === undefined) return `the profile paid needs ${option}, in the ${smallestUnit}`;
    if (parseUnits(text) === undefined) {
      const why = /^\d+$/.test(text)
        ? `has ${text.length} digits, and a cap has at most ${unitDigitsMax}`
        : `${text} is not a whole number`;
      return `${option} ${why}. Give the cap in the ${smallestUnit}, such as 100000`;
    }
  }
  throw new Error('both caps are valid');
}

function readPins({ payTo, asset }: Typed): Pins | undefined {
  const pins = [...(payTo ?? []), ...(asset === undefined ? [] : [asset])];
  if (!pins.every(isPin)) return undefined;
  return { ...(payTo !== undefined && { payTo }), ...(asset !== undefined && { asset }) };
}

/** The digits of the largest uint256. */
const unitDigitsMax = 78;

function parseUnits(text: string): bigint | undefined {
  return /^\d+$/.test(text) && text.length <= unitDigitsMax ? BigInt(text) : undefined;
}
