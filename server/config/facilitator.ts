import type { Environment } from './environment.ts';

/** Reads the token for the facilitator. It is never a setting, and no message contains it. */
export function readFacilitatorToken(environment: Environment, faults: string[]): string | null {
  const token = environment['FACILITATOR_TOKEN']?.trim();
  if (!token) return null;
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  faults.push('FACILITATOR_TOKEN: must be printable ASCII without spaces');
  return null;
}

/**
 * Reports conflicts with a facilitator. Only one settler may be set: an unused relayer key could only be lost
 * (D-58).
 */
export function checkFacilitator(environment: Environment, settings: object, faults: string[]): void {
  const variable = 'facilitator (FACILITATOR_URL)';
  if (!('chain' in settings))
    faults.push(`${variable}: a facilitator settles on a real chain, and none is set: set chain too`);
  if (environment['RELAYER_KEY'] || environment['RELAYER_KEY_FILE'])
    faults.push(`${variable}: a facilitator and a relayer key are both set: unset one of the two`);
  if (environment['FACILITATOR_TOKEN'] && hasCredentials(settings))
    faults.push(
      `${variable}: the URL has a user or a password; a request can carry only these or FACILITATOR_TOKEN`,
    );
}

function hasCredentials(settings: object): boolean {
  const { facilitator } = settings as { facilitator?: { url?: unknown } | null };
  const url = URL.parse(String(facilitator?.url));
  return url !== null && (url.username !== '' || url.password !== '');
}
