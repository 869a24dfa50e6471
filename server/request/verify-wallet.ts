import { type CheckWallet, isWalletSignature } from '../chain/wallet-signature.ts';
import type { Exchange } from '../http/contract.ts';
import type { SubmittedPayment } from '../payment/decode.ts';
import type { SignatureFault, VerifiedPayment } from '../payment/signature.ts';
import { carriesDeployment, trustKept, verifyWalletPayment, type WalletFault } from '../payment/wallet.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { type Outcome, uncharged } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { findBySignature } from './replay-charged.ts';
import { replaySignature } from './replay-signature.ts';

const retryAfterSeconds = 1;

/** A payment that a wallet accepts. `isAsked`: the gateway asked the chain, and not only its store. */
type WalletPayment = { readonly payment: VerifiedPayment; readonly isAsked: boolean };

/**
 * Handles a payment that the key of its payer did not sign. The store may know it under an earlier name of the token
 * (D-229). Else the payer may be a contract wallet: then the gateway asks the chain, within the limit on refusals,
 * because the sender pays nothing for the call (D-227, D-293).
 */
export async function verifyWithoutKey(
  submitted: SubmittedPayment,
  fault: SignatureFault,
  request: PricedRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<Result<WalletPayment, Outcome>> {
  const { checkWallet } = ports;
  const known = await findBySignature(submitted, request.quote.requirements.asset as Address, ports);
  // The gateway asked the wallet before it stored the payment.
  if (
    checkWallet !== null &&
    known !== null &&
    known.state !== 'released' &&
    isWalletSignature(known.signature)
  )
    return ok({ payment: trustKept(submitted, known.signature), isAsked: false });
  const replayed = await replaySignature(known, request, exchange, ports);
  if (replayed !== null) return fail(replayed);
  if (checkWallet === null) return fail({ kind: 'invalid-signature', ...fault });
  const asked = await ports.walletTurns(exchange.site, ports.limits.rpcTimeoutMs, () =>
    askWallet(submitted, fault, { checkWallet, request, network: exchange.network }, ports),
  );
  if (asked?.ok) return ok({ payment: asked.value, isAsked: true });
  return asked ?? fail(notAsked);
}

type Question = {
  readonly checkWallet: CheckWallet;
  readonly request: PricedRequest;
  readonly network: string;
};

/** Asks the chain, unless earlier requests of the network have shown meanwhile that it need not. */
async function askWallet(
  submitted: SubmittedPayment,
  fault: SignatureFault,
  { checkWallet, request, network }: Question,
  ports: PaidPorts,
): Promise<Result<VerifiedPayment, Outcome>> {
  const { codeless, refusals, digestOf } = ports;
  const { from } = submitted.authorization;
  if (codeless.has(from) && !carriesDeployment(submitted))
    return fail({ kind: 'invalid-signature', ...fault });
  const wait = await refusals.findWait(network);
  if (wait !== null) return fail({ kind: 'too-many-refusals', ...wait });
  const verified = await verifyWalletPayment(submitted, digestOf, checkWallet);
  if (verified.ok) return verified;
  if (verified.fault.kind === 'codeless') codeless.note(from);
  if (verified.fault.kind !== 'unavailable') await refusals.count(network);
  return fail(refuseWallet(verified.fault, request, ports));
}

const notAsked = uncharged('The chain cannot be asked about the signature.', retryAfterSeconds);

function refuseWallet(fault: WalletFault, { quote }: PricedRequest, { log }: PaidPorts): Outcome {
  switch (fault.kind) {
    case 'invalid':
    case 'codeless':
      return { kind: 'invalid-signature', message: fault.message };
    case 'undeployed': {
      const reason = 'invalid_exact_evm_payload_undeployed_smart_wallet';
      return { kind: 'offer', quote, reason, message: fault.message };
    }
    case 'unavailable':
      log.warn({ fault: fault.fault }, 'the gateway cannot ask a contract wallet');
      return notAsked;
  }
}
