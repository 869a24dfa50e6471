import { scheme } from '@paid-inference/contract/constants';
import type { Address } from '../../types/units.ts';
import type { Facilitator, OfferedKind, X402Version } from './facilitator.ts';
import { everyEvmChain, networkNames } from './request.ts';

/** The x402 version for a facilitator, and the facilitator's addresses on the chain. */
export interface VersionChoice {
  /** Returns the version, and calls the facilitator if it is unknown; null where it stays unknown. */
  current(): Promise<X402Version | null>;
  /** Returns the version so far; null while it is unknown. Never calls the facilitator. */
  known(): X402Version | null;
  /** Returns the addresses that the facilitator sends from; none where it does not list them. */
  signers(): Promise<readonly Address[]>;
  /** Returns the addresses that the facilitator listed so far. Never calls it. */
  knownSigners(): readonly Address[];
  /** Calls the facilitator, and returns the reason why no payment can be settled through it, or null. */
  healthIssue(): Promise<string | null>;
}

/** `wanted` is the version of the settings; null for the version that the facilitator offers. */
export function createVersionChoice(facilitator: Facilitator, wanted: X402Version | null): VersionChoice {
  let known: X402Version | null = null;
  let signers: readonly Address[] | null = null;
  let asking: Promise<string | null> | null = null;
  return {
    async current() {
      if (wanted === null && known === null) await ask();
      return wanted ?? known;
    },
    known: () => wanted ?? known,
    async signers() {
      if (signers === null) await ask();
      return signers ?? [];
    },
    knownSigners: () => signers ?? [],
    healthIssue: ask,
  };

  /** Concurrent callers share one call. */
  function ask(): Promise<string | null> {
    asking ??= askNow().finally(() => {
      asking = null;
    });
    return asking;
  }

  async function askNow(): Promise<string | null> {
    const supported = await facilitator.supported();
    if (!supported.ok) return `the facilitator does not answer: ${supported.fault}`;
    signers = supported.value.signers;
    known = chooseVersion(supported.value.kinds, wanted);
    if (known !== null) return null;
    const networks = wanted === null ? `${networkNames[2]} or ${networkNames[1]}` : networkNames[wanted];
    const version = wanted === null ? '' : ` in x402 version ${wanted}`;
    return `the facilitator does not offer the scheme ${scheme} on ${networks}${version}`;
  }
}

/**
 * Chooses version 2 where both are offered, because it names the chain by its id, as the contract does (D-57).
 */
export function chooseVersion(kinds: readonly OfferedKind[], wanted: X402Version | null): X402Version | null {
  const candidates: readonly X402Version[] = wanted === null ? [2, 1] : [wanted];
  return candidates.find((version) => kinds.some((kind) => isOurs(kind, version))) ?? null;
}

function isOurs(kind: OfferedKind, version: X402Version): boolean {
  const isOurNetwork =
    kind.network === networkNames[version] || (version === 2 && kind.network === everyEvmChain);
  return kind.x402Version === version && kind.scheme === scheme && isOurNetwork;
}
