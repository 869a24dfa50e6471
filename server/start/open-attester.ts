import { existsSync } from 'node:fs';
import type { LedgerDomain } from '@paid-inference/contract/types';
import type { Keccak256 } from '../chain/keccak.ts';
import type { AttestationSettings } from '../config/attestation.ts';
import type { Log } from '../observe/log.ts';
import { type Attester, createAttester } from '../proof/attestation/attester.ts';
import { createConfidentialSpaceProvider } from '../proof/attestation/confidential-space.ts';
import { createTsmProvider } from '../proof/attestation/configfs-tsm.ts';
import { softwareStatement } from '../proof/attestation/document.ts';
import { createDstackProvider } from '../proof/attestation/dstack.ts';
import { createNitridingProvider } from '../proof/attestation/nitriding.ts';
import { type AttestationProvider, type ProviderKind, providerKinds } from '../proof/attestation/provider.ts';
import { createSoftwareProvider } from '../proof/attestation/software.ts';
import type { EnclaveKey } from '../proof/enclave-key.ts';
import type { ProofStore } from '../store/proof-store.ts';
import type { Clock } from '../types/clock.ts';
import { assertNever, fail, type Result } from '../types/result.ts';

export type OpenAttesterOptions = {
  readonly settings: AttestationSettings;
  readonly enclaveKey: EnclaveKey;
  readonly ledger: LedgerDomain;
  readonly proofStore: Pick<ProofStore, 'findSigner'>;
  readonly keccak: Keccak256;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
};

/**
 * Opens the provider in the settings, or with `auto` the first that makes a report for this key. The report
 * becomes the evidence of the start (D-75). It never claims hardware without a report. The fault is a sentence
 * for the operator: the chosen provider made no report, or hardware is required and none made one.
 */
export async function openAttester(options: OpenAttesterOptions): Promise<Result<Attester, string>> {
  const { settings, log } = options;
  const faults: string[] = [];
  for (const kind of candidates(settings)) {
    const made = await createAttester({
      ...options,
      provider: createProvider(kind, options),
      waitMs: settings.timeoutMs,
    });
    if (made.ok) return made;
    const { isAbsent, message } = made.fault;
    faults.push(`${kind}: ${message}`);
    // Hardware that is present and fails is worth a warning; missing hardware is not.
    if (!isAbsent) log.warn({ provider: kind }, `no attestation from ${kind}: ${message}`);
  }
  return fail(describeFault(settings, faults));
}

function candidates({ provider, required, nsmDevice }: AttestationSettings): readonly ProviderKind[] {
  const named: readonly ProviderKind[] = provider === 'auto' ? providerKinds : [provider];
  return named.filter((kind) => {
    if (kind === 'software') return required === 'none';
    // Any program may listen on nitriding's addresses. Without the device this is no enclave, so it is not
    // called.
    return kind !== 'nitriding' || provider !== 'auto' || existsSync(nsmDevice);
  });
}

function createProvider(kind: ProviderKind, options: OpenAttesterOptions): AttestationProvider {
  const { settings, enclaveKey, clock } = options;
  const { timeoutMs } = settings;
  switch (kind) {
    case 'configfs-tsm':
      return createTsmProvider({ folder: settings.tsmFolder, timeoutMs, clock });
    case 'dstack':
      return createDstackProvider({ socket: settings.dstackSocket, timeoutMs, clock });
    case 'confidential-space':
      return createConfidentialSpaceProvider({ socket: settings.confidentialSpaceSocket, timeoutMs, clock });
    case 'nitriding': {
      const { nitridingInternalUrl: internalUrl, nitridingPublicUrl: publicUrl } = settings;
      return createNitridingProvider({ internalUrl, publicUrl, timeoutMs, clock });
    }
    case 'software':
      return createSoftwareProvider(enclaveKey, clock);
    default:
      return assertNever(kind);
  }
}

/** Logs the provider that attests this gateway. */
export function reportAttester({ boot }: Attester, log: Log): void {
  const { provider, format, evidenceHash } = boot;
  if (boot.hardware) log.info({ provider, format, evidenceHash }, 'attested by hardware');
  else log.warn({ provider }, softwareStatement);
}

function describeFault({ provider, required }: AttestationSettings, faults: readonly string[]): string {
  const why = faults.length > 0 ? `: ${faults.join('; ')}` : '';
  if (required === 'hardware') {
    return `attestation.required is hardware, but no hardware attested this gateway${why}`;
  }
  return `attestation.provider is ${provider}, but it made no report${why}`;
}
