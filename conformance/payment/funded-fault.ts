import type { Funded } from './budget.ts';
import { isKey } from './key.ts';
import { addressPattern } from './offer.ts';

/**
 * What to change before anything is signed, or undefined. A caller without a compiler may give anything, and a cap that is
 * not there would hold nothing: `value > undefined` is false. The fault quotes nothing, since what stands in the wrong
 * place may be the key.
 */
export function fundedFault(funded: unknown): string | undefined {
  if (!isRecord(funded)) return 'funded is an object of privateKey, caps and journal, and perhaps pins';
  const { privateKey, caps, journal, pins } = funded;
  return (
    unknownName('funded', funded, fundedNames) ??
    (isPrivateKey(privateKey)
      ? undefined
      : 'funded.privateKey is a private key in a string, 32 bytes in hex: readKeyFile gives one where it is ok') ??
    capsFault(caps) ??
    (isJournal(journal)
      ? undefined
      : 'funded.journal has a place and append: openJournal gives one where it is ok') ??
    (pins === undefined ? undefined : pinsFault(pins))
  );
}

// Written as objects, so that the compiler misses a name that the types have.
const fundedNames = { privateKey: true, caps: true, journal: true, pins: true } satisfies NamesOf<Funded>;
const capsNames = { perRequestUnits: true, totalUnits: true, payments: true } satisfies NamesOf<
  Funded['caps']
>;
const pinsNames = { payTo: true, asset: true } satisfies NamesOf<NonNullable<Funded['pins']>>;

type NamesOf<T> = Record<keyof Required<T>, true>;

function capsFault(caps: unknown): string | undefined {
  if (!isRecord(caps)) return 'funded.caps is an object of perRequestUnits and totalUnits';
  const unknown = unknownName('funded.caps', caps, capsNames);
  if (unknown !== undefined) return unknown;
  for (const name of ['perRequestUnits', 'totalUnits'] as const) {
    const cap = caps[name];
    if (typeof cap !== 'bigint' || cap < 0n) {
      return `funded.caps.${name} is a bigint of at least 0, such as 100000n, in the token's smallest unit`;
    }
  }
  const { payments } = caps;
  if (payments === undefined || (Number.isSafeInteger(payments) && Number(payments) >= 0)) return undefined;
  return 'funded.caps.payments is a whole number of at least 0, where it is given';
}

function pinsFault(pins: unknown): string | undefined {
  if (!isRecord(pins)) return 'funded.pins is an object of payTo and asset';
  const unknown = unknownName('funded.pins', pins, pinsNames);
  if (unknown !== undefined) return unknown;
  const isAddress = (pin: unknown) =>
    pin === undefined || (typeof pin === 'string' && addressPattern.test(pin));
  if (isAddress(pins['payTo']) && isAddress(pins['asset'])) return undefined;
  return 'funded.pins.payTo and funded.pins.asset are addresses: 20 bytes in 0x-prefixed hex';
}

function unknownName(
  place: string,
  value: object,
  names: Readonly<Record<string, true>>,
): string | undefined {
  if (Object.keys(value).every((name) => Object.hasOwn(names, name))) return undefined;
  return `${place} has a name that it does not know: it knows ${Object.keys(names).join(', ')}`;
}

function isPrivateKey(value: unknown): boolean {
  if (typeof value !== 'string' || !/^(0x)?[0-9a-fA-F]{64}$/.test(value)) return false;
  return isKey(value.startsWith('0x') ? value : `0x${value}`);
}

function isJournal(value: unknown): boolean {
  return isRecord(value) && typeof value['place'] === 'string' && typeof value['append'] === 'function';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
