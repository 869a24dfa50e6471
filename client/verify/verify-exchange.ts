import { headerNames, chainId as paymentChainId } from '@paid-inference/contract/constants';
import { decodeInferenceProof } from '@paid-inference/contract/headers';
import type { InferenceProof, SavedExchange } from '@paid-inference/contract/types';
import { openProvider } from '../chain-provider.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Fetch } from '../payment/send.ts';
import { readHeaders } from '../saved-exchange.ts';
import { asked } from './asked.ts';
import type { AttestationPolicy } from './attestation.ts';
import { checkFresh, checkRegistered } from './attested.ts';
import { cannotTell, combineVerdicts, type Finding, fails, type Verdict } from './finding.ts';
import { askGateway, noGateway } from './gateway-statements.ts';
import { checkHashes } from './hashes.ts';
import { openLedger } from './ledger.ts';
import { checkPayment, readPaid } from './payment.ts';
import { checkRecorded } from './recorded.ts';
import { findGatewayUrl, saleFault } from './sale.ts';
import { lookUntil, type Waiting } from './waiting.ts';

export type VerifyOptions = {
  /** RPC endpoint of the proof ledger's chain. Without it the steps key and inclusion are unknown. */
  readonly ledgerRpcUrl?: string;
  /** RPC endpoint of the payment chain. Without it the step payment is unknown. */
  readonly chainRpcUrl?: string;
  /** The gateway to ask for attestation and record; the one of the exchange when left out, none when null. */
  readonly gatewayUrl?: string | null;
  /** The trusted proof ledger; the one that the proof names when left out. */
  readonly ledger?: string;
  /** The token of the payment; any token that the payer signed for when left out. */
  readonly token?: string;
  readonly attestation?: AttestationPolicy;
  /** 32 bytes in hex: also asks for fresh evidence with this nonce. */
  readonly nonce?: string;
  /** How long to wait for a key, proof or payment that its chain lacks; 0 when left out. */
  readonly waitSeconds?: number;
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
};

/** `freshness` only when a nonce was given. */
export type StepName = 'hashes' | 'signature' | 'key' | 'attestation' | 'freshness' | 'inclusion' | 'payment';
export type VerificationStep = Finding & { readonly step: StepName };

export type Verification = {
  /** False if any step is false, else unknown if any step is unknown. */
  readonly verdict: Verdict;
  readonly steps: readonly VerificationStep[];
  /** The proof ledger that was used, and whether the caller pinned it; null without a proof. */
  readonly ledger: { readonly chainId: number; readonly contract: string; readonly isPinned: boolean } | null;
  /** The exchange with the gateway's verified statements, so that the next verification needs no gateway. */
  readonly exchange: SavedExchange;
};

/**
 * Verifies a saved exchange: hashes, signature, key, attestation, inclusion, payment. Each step has its own
 * verdict, `unknown` when data is missing. The gateway's statements only say where to look; hashes, signatures
 * and chains decide (D-81). Throws for invalid options.
 */
export async function verifyExchange(
  exchange: SavedExchange,
  options: VerifyOptions = {},
): Promise<Verification> {
  const { clock = systemClock, signal = new AbortController().signal, waitSeconds = 0 } = options;
  const waiting = { deadline: clock.nowSeconds() + waitSeconds, clock, signal };
  const read = readProof(exchange);
  const payment = await verifyPayment(
    exchange,
    'verdict' in read ? null : read.proof.timestamp,
    options,
    waiting,
  );
  if ('verdict' in read) {
    const rest = (['signature', 'key', 'attestation', 'inclusion'] as const).map(
      (step): VerificationStep => ({ step, ...cannotTell('not checked: there is no proof') }),
    );
    const fault = saleFault(exchange);
    const hashes = { step: 'hashes' as const, ...(fault === null ? read : fails(fault)) };
    const steps = [hashes, ...rest, { step: 'payment' as const, ...payment }];
    return { verdict: combineVerdicts(steps), steps, ledger: null, exchange };
  }
  return verifyProof(exchange, read.proof, payment, options, waiting);
}

async function verifyProof(
  exchange: SavedExchange,
  proof: InferenceProof,
  payment: Finding,
  options: VerifyOptions,
  waiting: Waiting,
): Promise<Verification> {
  const { nonce } = options;
  const { clock, signal } = waiting;
  const url = options.gatewayUrl === undefined ? findGatewayUrl(exchange) : options.gatewayUrl;
  const gateway = url === null ? noGateway : askGateway(url, options.fetch, signal);
  const ledger = options.ledgerRpcUrl === undefined ? null : openLedger(options.ledgerRpcUrl, proof.ledger);
  const { ledger: contract = null, attestation: policy = {} } = options;
  try {
    const recorded = await checkRecorded({
      exchange,
      proof,
      ledger,
      contract,
      gateway,
      waiting,
    });
    const attested = { proof, saved: exchange.attestation, gateway, policy, nowSeconds: clock.nowSeconds() };
    const { finding, attestation } = await checkRegistered(attested);
    const fresh =
      nonce === undefined ? [] : [{ step: 'freshness' as const, ...(await checkFresh(attested, nonce)) }];
    const steps: readonly VerificationStep[] = [
      { step: 'hashes', ...checkBodies(exchange, proof) },
      { step: 'signature', ...recorded.signature },
      { step: 'key', ...recorded.key },
      { step: 'attestation', verdict: finding.verdict, sentence: finding.sentence },
      ...fresh,
      { step: 'inclusion', ...recorded.inclusion },
      { step: 'payment', ...payment },
    ];
    const { chainId, verifyingContract } = proof.ledger;
    return {
      verdict: combineVerdicts(steps),
      steps,
      ledger: { chainId, contract: verifyingContract, isPinned: contract !== null },
      exchange: {
        ...exchange,
        ...(attestation !== null && { attestation }),
        ...(recorded.record !== null && { proof: recorded.record }),
      },
    };
  } finally {
    ledger?.close();
  }
}

/**
 * Reports a fault of the exchange together with a fault of its bodies, because either may have been changed.
 */
function checkBodies(exchange: SavedExchange, proof: InferenceProof): Finding {
  const fault = saleFault(exchange);
  const hashes = checkHashes(exchange, proof);
  if (fault === null) return hashes;
  return fails(hashes.verdict === 'false' ? `${fault}; ${hashes.sentence}` : fault);
}

/**
 * The contract has no proofs, so a response without one is unknown (D-81). When the file has a gateway's
 * statements about the proof, the header was removed.
 */
function readProof(exchange: SavedExchange): { readonly proof: InferenceProof } | Finding {
  const header = readHeaders(exchange.response).get(headerNames.inferenceProof);
  if (header === null) {
    const lacks = `the response has no ${headerNames.inferenceProof}`;
    return exchange.proof === undefined && exchange.attestation === undefined
      ? cannotTell(`${lacks}: the gateway sends no proofs, or the header was removed`)
      : fails(`${lacks}, although the file has statements about it: the header was removed`);
  }
  const decoded = decodeInferenceProof(header);
  if (decoded.ok) return { proof: decoded.value };
  return fails(
    `${headerNames.inferenceProof} ${decoded.message}${decoded.path === '' ? '' : ` at ${decoded.path}`}`,
  );
}

async function verifyPayment(
  exchange: SavedExchange,
  soldAt: number | null,
  { chainRpcUrl, token }: VerifyOptions,
  waiting: Waiting,
): Promise<Finding> {
  const paid = readPaid(exchange);
  if ('fault' in paid) return fails(paid.fault);
  if (chainRpcUrl === undefined) return cannotTell('no RPC endpoint of the payment chain was given');
  const provider = openProvider(chainRpcUrl, paymentChainId);
  const look = () => asked("the chain's node", checkPayment(paid, provider, token ?? null, soldAt));
  try {
    const checked = await lookUntil(look, (found) => found.ok && found.value.isPending, waiting);
    if (!checked.ok) return cannotTell(checked.message);
    const { verdict, sentence } = checked.value;
    return { verdict, sentence };
  } finally {
    provider.destroy();
  }
}
