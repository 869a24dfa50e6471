import { existsSync } from 'node:fs';
import type { Keccak256 } from '../chain/keccak.ts';
import { attest } from '../start/open-proofs.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, silent } from './finding.ts';

const check = 'attestation';

/**
 * Makes a report if a start without one would fail. It is a report for a new key. So nitriding is not asked: its next
 * reports would name that key, and not the key of the running gateway (D-320).
 */
export async function checkAttestation(
  { loaded: { config }, clock }: Deployment,
  keccak: Keccak256,
): Promise<readonly Finding[]> {
  const { proofLedger: ledger, attestation: settings } = config;
  const { provider, required, nsmDevice } = settings;
  const isFree = required === 'none' && (provider === 'auto' || provider === 'software');
  if (ledger === undefined || isFree) return [];
  if (provider === 'nitriding' || (provider === 'auto' && existsSync(nsmDevice)))
    return [
      ok(check, 'Only a start asks nitriding for a report, because the report names the key of the start'),
    ];
  const attested = await attest({ ledger, settings, keccak, clock, log: silent });
  if (!attested.ok) return attested.fault.map((fault) => failed(check, fault));
  return [ok(check, `The provider ${attested.value.attester.boot.provider} makes a report`)];
}
