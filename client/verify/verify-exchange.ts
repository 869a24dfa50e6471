import { headerNames, chainId as paymentChainId } from '@paid-inference/contract/constants';
import { decodeInferenceProof } from '@paid-inference/contract/headers';
import type { InferenceProof, SavedExchange } from '@paid-inference/contract/types';
import { openProvider } from '../chain-provider.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Fetch } from '../payment/send.ts';
import { headersOf } from '../saved-exchange.ts';
import { asked } from './asked.ts';
import type { AttestationPolicy } from './attestation.ts';
import { checkFresh, checkRegistered } from './attested.ts';
import { cannotTell, type Finding, fails, type Verdict, verdictOf } from './finding.ts';
import { askGateway, silence } from './gateway-word.ts';
import { checkHashes } from './hashes.ts';
import { openLedger } from './ledger.ts';
import { checkPayment, readPaid } from './payment.ts';
import { checkRecorded } from './recorded.ts';
import { gatewayOf, saleFault } from './sale.ts';
import { lookUntil, type Waiting } from './waiting.ts';

export type VerifyOptions = {
  /** A node of the ledger network. Without it nobody can tell what is registered and recorded. */
  readonly ledgerRpcUrl?: string;
  /** A node of the payments' chain. */
  readonly chainRpcUrl?: string;
  /** Who is asked for attestation and record; where the exchange was sent to when left out, nobody when null. */
  readonly gatewayUrl?: string | null;
  /** The ledger contract that the caller trusts; the one that the proof names when left out. */
  readonly ledger?: string;
  /** The token that the caller paid in; any that the payer signed for when left out. */
  readonly token?: string;
  readonly attestation?: AttestationPolicy;
  /** 32 bytes in hex: asks for fresh evidence too, which must answer this nonce. */
  readonly nonce?: string;
  /** How long a key, a proof or a payment that is not on its chain yet is waited for; not at all when left out. */
  readonly waitSeconds?: number;
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
};

/** `freshness` only where a nonce was given. */
export type StepName = 'hashes' | 'signature' | 'key' | 'attestation' | 'freshness' | 'inclusion' | 'payment';
export type VerificationStep = Finding & { readonly step: StepName };

export type Verification = {
  /** False where any step is, else unknown where any step is. */
  readonly verdict: Verdict;
  readonly steps: readonly VerificationStep[];
  /** Which ledger was believed, and whether the caller named it; null where there is no proof. */
  readonly ledger: { readonly chainId: number; readonly contract: string; readonly isPinned: boolean } | null;
  /** The exchange with the documents of the gateway that stood, so that it can be verified without it next time. */
  readonly exchange: SavedExchange;
};

/**
 * Verifies what ran and what was paid, from a saved exchange: hashes, signature, key, attestation, inclusion, payment.
 * Each step has a verdict of its own, `unknown` where what it needs is not there. What the gateway says is only ever a
 * pointer to what hashes, signatures and chains say (D-81). Throws for options that cannot be meant.
 */
export async function verifyExchange(
  exchange: SavedExchange,
  options: VerifyOptions = {},
): Promise<Verification> {
  const { clock = systemClock, signal = new AbortController().signal, waitSeconds = 0 } = options;
  const waiting = { deadline: clock.nowSeconds() + waitSeconds, clock, signal };
  const read = readProof(exchange);
  const payment = await paymentOf(
    exchange,
    'verdict' in read ? null : read.proof.timestamp,
    options,
    waiting,
  );
  if ('verdict' in read) {
    const rest = (['signature', 'key', 'attestation', 'inclusion'] as const).map(
      (step): VerificationStep => ({ step, ...cannotTell('there is no proof to hold it against') }),
    );
    const fault = saleFault(exchange);
    const hashes = { step: 'hashes' as const, ...(fault === null ? read : fails(fault)) };
    const steps = [hashes, ...rest, { step: 'payment' as const, ...payment }];
    return { verdict: verdictOf(steps), steps, ledger: null, exchange };
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
  const url = options.gatewayUrl === undefined ? gatewayOf(exchange) : options.gatewayUrl;
  const gateway = url === null ? silence : askGateway(url, options.fetch, signal);
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
      verdict: verdictOf(steps),
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

/** What is wrong with the exchange itself is said beside what is wrong with its bodies: either may be what was changed. */
function checkBodies(exchange: SavedExchange, proof: InferenceProof): Finding {
  const fault = saleFault(exchange);
  const hashes = checkHashes(exchange, proof);
  if (fault === null) return hashes;
  return fails(hashes.verdict === 'false' ? `${fault}; ${hashes.sentence}` : fault);
}

/**
 * The contract has no proofs, so an answer without one is no lie (D-81). Where the file itself has what a gateway said of
 * the proof, there was one.
 */
function readProof(exchange: SavedExchange): { readonly proof: InferenceProof } | Finding {
  const header = headersOf(exchange.response).get(headerNames.inferenceProof);
  if (header === null) {
    const lacks = `the answer carries no ${headerNames.inferenceProof}`;
    return exchange.proof === undefined && exchange.attestation === undefined
      ? cannotTell(`${lacks}: a gateway without proofs sends none, and one that was taken out looks the same`)
      : fails(`${lacks}, although the file has what the gateway said of it: it was taken out`);
  }
  const decoded = decodeInferenceProof(header);
  if (decoded.ok) return { proof: decoded.value };
  return fails(
    `${headerNames.inferenceProof} ${decoded.message}${decoded.path === '' ? '' : ` at ${decoded.path}`}`,
  );
}

async function paymentOf(
  exchange: SavedExchange,
  soldAt: number | null,
  { chainRpcUrl, token }: VerifyOptions,
  waiting: Waiting,
): Promise<Finding> {
  const paid = readPaid(exchange);
  if ('fault' in paid) return fails(paid.fault);
  if (chainRpcUrl === undefined) return cannotTell("no node of the payments' chain was named");
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
