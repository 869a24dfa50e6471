/** An amount in the token's smallest unit as tokens, without zeros at the end. In units while the decimals are unknown. */
export function formatAmount(units: bigint, decimals: number | null): string {
  if (decimals === null) return `${units} units`;
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/** The price of a thousand tokens, from the price of a million in the token's smallest unit. */
export function pricePerThousand(perMillion: string, decimals: number | null): string {
  // Three more decimals hold a thousandth exactly.
  return decimals === null
    ? `${formatAmount(BigInt(perMillion), 3)} units`
    : formatAmount(BigInt(perMillion), decimals + 3);
}

/** A time in Unix seconds, in UTC and readable. */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  // A signature may be valid for longer than dates last.
  if (Number.isNaN(date.getTime())) return `${seconds} seconds after 1970`;
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The beginning and the end of a long hex text. */
export function shorten(hex: string): string {
  return hex.length <= 20 ? hex : `${hex.slice(0, 10)}…${hex.slice(-8)}`;
}

/** A whole number with separators. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
