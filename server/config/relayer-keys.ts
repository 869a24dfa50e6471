import type { Bytes32 } from '../types/units.ts';
import type { Environment } from './environment.ts';
import { noKey, parseKey, readKeySource } from './secret-key.ts';

/** Each relayer adds one concurrent transaction. Beyond a few they only share the same blocks. */
const relayersMax = 16;

/**
 * Reads the relayer keys, from the environment or from a file that it names. They are never settings, and a
 * message names only the position of an invalid key. Empty without keys, which is a fault if `needed`.
 */
export function readRelayerKeys(
  environment: Environment,
  needed: boolean,
  faults: string[],
): readonly Bytes32[] {
  const source = readKeySource(environment, 'RELAYER_KEY', faults);
  if (source === 'unreadable') return [];
  const { text, name } = source ?? { text: '', name: 'RELAYER_KEY' };
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0 && needed)
    faults.push(
      source?.name === 'RELAYER_KEY_FILE'
        ? 'RELAYER_KEY_FILE: the file is empty. Write a private key into it.'
        : 'RELAYER_KEY or RELAYER_KEY_FILE: a real chain needs a key that pays for gas, or a facilitator that has one',
    );
  if (words.length > relayersMax) faults.push(`${name}: at most ${relayersMax} keys, not ${words.length}`);
  const keys = words.slice(0, relayersMax).map(parseKey);
  for (const [index, key] of keys.entries()) {
    const which = words.length > 1 ? `key ${index + 1} of ${words.length} ` : '';
    const first = keys.indexOf(key);
    if (key === null) faults.push(`${name}: ${which}${noKey(words[index] ?? '')}`);
    else if (first !== index)
      faults.push(`${name}: ${which}is the same as key ${first + 1}; list each key once`);
  }
  return keys.filter((key) => key !== null);
}
