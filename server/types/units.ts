declare const brand: unique symbol;

/** A primitive that only its parser creates. Brands add up: an address is also hex. */
export type Brand<T, Name extends string> = T & { readonly [brand]: { readonly [N in Name]: true } };

/** An amount in the token's smallest unit. It is never a number, and a string only on the wire. */
export type AtomicAmount = Brand<bigint, 'AtomicAmount'>;

/** Whole seconds since 1970, UTC. */
export type UnixSeconds = Brand<number, 'UnixSeconds'>;

/** 0x and an even number of lower-case hex digits. */
export type Hex = Brand<string, 'Hex'>;

/** A 20-byte EVM address in lower case, so that two spellings give one key. */
export type Address = Hex & Brand<string, 'Address'>;

/** 32 bytes as lower-case hex. */
export type Bytes32 = Hex & Brand<string, 'Bytes32'>;

const uint256Max = (1n << 256n) - 1n;

/** Reads a decimal string without sign, leading zeros or exponent, at most uint256 (contract §2.8, §2.9). */
export function parseAtomicAmount(text: string): AtomicAmount | null {
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text)) return null;
  const amount = BigInt(text);
  return amount <= uint256Max ? (amount as AtomicAmount) : null;
}

export function atomicAmount(amount: bigint): AtomicAmount {
  if (amount < 0n || amount > uint256Max) throw new Error(`The amount ${amount} is outside uint256.`);
  return amount as AtomicAmount;
}

export function parseAddress(text: string): Address | null {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as Address) : null;
}

export function parseBytes32(text: string): Bytes32 | null {
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? (text.toLowerCase() as Bytes32) : null;
}

export function parseHex(text: string): Hex | null {
  return /^0x([0-9a-fA-F]{2})*$/.test(text) ? (text.toLowerCase() as Hex) : null;
}

export function unixSeconds(seconds: number): UnixSeconds {
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Error(`The value ${seconds} is not a time in Unix seconds.`);
  return seconds as UnixSeconds;
}
