import type { RpcFault } from '../chain/rpc.ts';
import {
  type CheckWallet,
  keepWalletSignature,
  unwrapDeployment,
  walletSignatureBytesMax,
} from '../chain/wallet-signature.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type Hex, parseHex } from '../types/units.ts';
import type { SubmittedPayment } from './decode.ts';
import type { AuthorizationDigest, VerifiedPayment } from './signature.ts';

/** Why the payment of a contract wallet is not accepted. */
export type WalletFault =
  /** The gateway returns 401 (D-293). */
  | { readonly kind: 'invalid'; readonly message: string }
  /** The payer has no code, and the signature is not that of its key: 401. */
  | { readonly kind: 'codeless'; readonly message: string }
  /** The wallet is not deployed, and the token asks only deployed wallets: 402 (D-294). */
  | { readonly kind: 'undeployed'; readonly message: string }
  /** No node responded, which says nothing about the signature. */
  | { readonly kind: 'unavailable'; readonly fault: RpcFault };

/** The signature as the store keeps it, and whether it came with the data that deploys its wallet. */
type ReadSignature = { readonly kept: Hex; readonly isWrapped: boolean };

/** Reads the signature of a contract wallet. Null for text that is not hex. */
function readSignature(text: string): (ReadSignature & { readonly inner: Hex }) | null {
  const signature = parseHex(text);
  if (signature === null) return null;
  const unwrapped = unwrapDeployment(signature);
  const inner = unwrapped ?? signature;
  return { inner, kept: keepWalletSignature(inner), isWrapped: unwrapped !== null };
}

/** Returns whether the store keeps this signature as that of a contract wallet. */
export function isKeptWalletSignature(kept: Hex, { signature }: SubmittedPayment): boolean {
  return readSignature(signature)?.kept === kept;
}

/** Returns whether a signature carries the data that deploys its wallet (ERC-6492). */
export function carriesDeployment({ signature }: SubmittedPayment): boolean {
  return readSignature(signature)?.isWrapped ?? false;
}

/** A payment of a wallet that the store has with the same signature. The gateway verified it when it accepted it. */
export function trustKept(payment: SubmittedPayment, kept: Hex): VerifiedPayment {
  return { ...payment, signature: kept } as VerifiedPayment;
}

/**
 * Asks the code of the payer whether it accepts the signature (ERC-1271). The signature may have any form within
 * `walletSignatureBytesMax`. The data that deploys a wallet (ERC-6492) is removed, because the token knows only the
 * signature of a deployed wallet.
 */
export async function verifyWalletPayment(
  payment: SubmittedPayment,
  digestOf: AuthorizationDigest,
  checkWallet: CheckWallet,
): Promise<Result<VerifiedPayment, WalletFault>> {
  const read = readSignature(payment.signature);
  if (read === null) return invalid('The signature is not 0x-prefixed hex.');
  const bytes = read.inner.length / 2 - 1;
  if (bytes > walletSignatureBytesMax)
    return invalid(`The signature has ${bytes} bytes; a contract wallet may use ${walletSignatureBytesMax}.`);
  const { authorization } = payment;
  const asked = await checkWallet(authorization.from, digestOf(authorization), read.inner);
  if (!asked.ok) return fail({ kind: 'unavailable', fault: asked.fault });
  switch (asked.value) {
    case 'accepts':
      return ok(trustKept(payment, read.kept));
    case 'rejects':
      return invalid(
        'The signature is not by the key of from, and the code of from does not accept it (ERC-1271).',
      );
    case 'has-no-code':
      return read.isWrapped
        ? fail({ kind: 'undeployed', message: deployFirst })
        : fail({ kind: 'codeless', message: noCode });
  }
}

const noCode = 'The signature is not by the key of from, and from has no code that could accept it.';
const deployFirst =
  'The contract wallet of this payment is not deployed, and the token asks only deployed wallets. Deploy the wallet ' +
  'first, then send the same payment again. Nothing was charged.';

function invalid(message: string): Result<never, WalletFault> {
  return fail({ kind: 'invalid', message });
}
