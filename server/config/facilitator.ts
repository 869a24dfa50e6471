import type { Environment } from './environment.ts';

/** Reads the token that a facilitator may ask for. It is never a setting, and its value is never said. */
export function readFacilitatorToken(environment: Environment, faults: string[]): string | null {
  const token = environment['FACILITATOR_TOKEN']?.trim();
  if (!token) return null;
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  faults.push('FACILITATOR_TOKEN: must be printable ASCII without spaces');
  return null;
}

/** One settler, and no doubt which: a key that lies about unused is a key that can be lost (D-58). */
export function checkFacilitator(environment: Environment, settings: object, faults: string[]): void {
  const variable = 'facilitator (FACILITATOR_URL)';
  if (!('chain' in settings))
    faults.push(`${variable}: a facilitator settles on a real chain, and none is set: set chain too`);
  if (environment['RELAYER_KEY'] || environment['RELAYER_KEY_FILE'])
    faults.push(`${variable}: either a facilitator settles or a relayer key does: unset one of the two`);
  if (environment['FACILITATOR_TOKEN'] && hasCredentials(settings))
    faults.push(
      `${variable}: the URL has a user or a password, and a request carries them or FACILITATOR_TOKEN`,
    );
}

function hasCredentials(settings: object): boolean {
  const { facilitator } = settings as { facilitator?: { url?: unknown } | null };
  const url = URL.parse(String(facilitator?.url));
  return url !== null && (url.username !== '' || url.password !== '');
}
