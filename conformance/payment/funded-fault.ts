import type { Funded } from './budget.ts';
import { isKey } from './key.ts';
import { isPin, pinForm } from './refusal.ts';

/**
 * The fault of a funded payer, or undefined. Callers without a compiler may give anything, and a missing cap
 * would limit nothing: `value > undefined` is false. The fault quotes no value, because a misplaced value may
 * be the key.
 */
export function fundedFault(funded: unknown): string | undefined {
  if (!isRecord(funded))
    return 'funded must be an object with privateKey, caps and journal, and optionally pins';
  const { privateKey, caps, journal, pins } = funded;
  return (
    unknownName('funded', funded, fundedNames) ??
    (isPrivateKey(privateKey)
      ? undefined
      : 'funded.privateKey must be a string with a private key, 32 bytes in hex. readKeyFile returns one') ??
    capsFault(caps) ??
    (isJournal(journal) ? undefined : 'funded.journal must have place and append. openJournal returns one') ??
    (pins === undefined ? undefined : pinsFault(pins))
  );
}

// Objects, so that the compiler finds missing names.
const fundedNames = { privateKey: true, caps: true, journal: true, pins: true } satisfies NamesOf<Funded>;
const capsNames = { perRequestUnits: true, totalUnits: true, payments: true } satisfies NamesOf<
  Funded['caps']
>;
const pinsNames = { payTo: true, asset: true } satisfies NamesOf<NonNullable<Funded['pins']>>;

type NamesOf<T> = Record<keyof Required<T>, true>;

function capsFault(caps: unknown): string | undefined {
  if (!isRecord(caps)) return 'funded.caps must be an object with perRequestUnits and totalUnits';
  const unknown = unknownName('funded.caps', caps, capsNames);
  if (unknown !== undefined) return unknown;
  for (const name of ['perRequestUnits', 'totalUnits'] as const) {
    const cap = caps[name];
    if (typeof cap !== 'bigint' || cap < 0n) {
      return `funded.caps.${name} must be a bigint of at least 0, such as 100000n, in the token's smallest unit`;
    }
  }
  const { payments } = caps;
  if (payments === undefined || (Number.isSafeInteger(payments) && Number(payments) >= 0)) return undefined;
  return 'funded.caps.payments, if given, must be a whole number of at least 0';
}

function pinsFault(pins: unknown): string | undefined {
  if (!isRecord(pins)) return 'funded.pins must be an object with payTo or asset';
  const unknown = unknownName('funded.pins', pins, pinsNames);
  if (unknown !== undefined) return unknown;
  const isAddress = (pin: unknown) => pin === undefined || (typeof pin === 'string' && isPin(pin));
  const { payTo, asset } = pins;
  const isRecipient = Array.isArray(payTo)
    ? payTo.length > 0 && payTo.every((pin) => pin !== undefined && isAddress(pin))
    : isAddress(payTo);
  if (isRecipient && isAddress(asset)) return undefined;
  return `funded.pins.payTo and funded.pins.asset ${pinForm}`;
}

function unknownName(
  place: string,
  value: object,
  names: Readonly<Record<string, true>>,
): string | undefined {
  if (Object.keys(value).every((name) => Object.hasOwn(names, name))) return undefined;
  return `${place} has an unknown member. Known members: ${Object.keys(names).join(', ')}`;
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
