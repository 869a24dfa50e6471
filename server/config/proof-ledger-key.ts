import type { Bytes32 } from '../types/units.ts';
import type { Environment } from './environment.ts';
import { noKey, parseKey, readKeySource } from './secret-key.ts';

/**
 * Reads the key that writes to the proof ledger, from the environment or from a file that it names. The key is
 * never a setting, and no message contains it. A real chain needs a proof ledger in the settings; only the
 * devnet has its own. Null without a key.
 */
export function readProofLedgerKey(
  environment: Environment,
  settings: object,
  faults: string[],
): Bytes32 | null {
  const [hasChain, hasLedger] = ['chain' in settings, 'proofLedger' in settings];
  if (hasChain && !hasLedger) {
    faults.push(
      'proofLedger (PROOF_LEDGER_RPC_URL, PROOF_LEDGER_CHAIN_ID, PROOF_LEDGER_CONTRACT), and PROOF_LEDGER_KEY or PROOF_LEDGER_KEY_FILE: a real chain needs a proof ledger on another chain',
    );
    return null;
  }
  if (hasLedger && !hasChain)
    faults.push('proofLedger: goes with chain; the embedded devnet has its own proof ledger');
  const source = readKeySource(environment, 'PROOF_LEDGER_KEY', faults);
  if (source === 'unreadable') return null;
  const word = source?.text.trim() ?? '';
  if (source === null || word === '') {
    if (hasLedger)
      faults.push(
        'PROOF_LEDGER_KEY or PROOF_LEDGER_KEY_FILE: the proof ledger needs a key that pays for gas',
      );
    return null;
  }
  const key = parseKey(word);
  if (key === null) faults.push(`${source.name}: ${noKey(word)}`);
  return key;
}
