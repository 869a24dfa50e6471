import { chainId } from '@paid-inference/contract/constants';
import { errorReply, type FinishedReply } from '../http/reply.ts';
import type { SiteCall, SiteRoute } from '../http/site-route.ts';
import type { Authorization } from '../types/authorization.ts';
import { type Address, type Hex, parseAddress, parseAtomicAmount, parseBytes32 } from '../types/units.ts';

/** The payer of the devnet. Its key stays in the gateway, and its tokens are worth nothing. */
export type DevnetPayer = {
  readonly address: Address;
  /** Signs an authorization for the token of the devnet. */
  sign(authorization: Authorization): Hex;
};

type WalletResponse =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

const devnetChain = `0x${chainId.toString(16)}`;
const refused = (code: number, message: string): WalletResponse => ({ error: { code, message } });

/**
 * A wallet (EIP-1193) over the payer of the devnet, for the page of a gateway that runs a devnet. It signs only
 * transfers of the devnet's token to the gateway's recipient, and only for the gateway's own page (D-375).
 */
export function devnetWalletRoute(payer: DevnetPayer, payTo: Address): SiteRoute {
  return {
    method: 'POST',
    async respond({ headers, body }): Promise<FinishedReply> {
      if (!isOwnPage(headers))
        return errorReply('invalid_request', 'Only the page of this gateway may use the devnet wallet.', {
          param: 'Origin',
        });
      const { method, params } = Object(body) as { method?: unknown; params?: unknown };
      return {
        status: 200,
        headers: { 'Cache-Control': 'no-store' },
        body: request(payer, payTo, method, Array.isArray(params) ? params : []),
      };
    },
  };
}

/** Browsers send `Origin` with every POST, and a page cannot change it. */
function isOwnPage({ origin, host }: SiteCall['headers']): boolean {
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host;
}

function request(
  payer: DevnetPayer,
  payTo: Address,
  method: unknown,
  params: readonly unknown[],
): WalletResponse {
  switch (method) {
    case 'eth_requestAccounts':
    case 'eth_accounts':
      return { result: [payer.address] };
    case 'eth_chainId':
      return { result: devnetChain };
    case 'wallet_switchEthereumChain':
      return Reflect.get(Object(params[0]), 'chainId') === devnetChain
        ? { result: null }
        : refused(4902, 'The devnet wallet has only the chain of the devnet.');
    case 'eth_signTypedData_v4':
      return sign(payer, payTo, params[1]);
    default:
      return refused(4200, 'The devnet wallet does not have this method.');
  }
}

function sign(payer: DevnetPayer, payTo: Address, typedData: unknown): WalletResponse {
  const authorization = readAuthorization(typedData);
  if (authorization === null)
    return refused(-32_602, 'The devnet wallet signs only TransferWithAuthorization.');
  if (authorization.from !== payer.address)
    return refused(4100, 'The devnet wallet does not have this account.');
  if (authorization.to !== payTo) return refused(4001, 'The devnet wallet pays only this gateway.');
  return { result: payer.sign(authorization) };
}

/** Reads the message of typed data. The domain is that of the devnet's token, whatever the data say. */
function readAuthorization(typedData: unknown): Authorization | null {
  try {
    const { primaryType, message } = JSON.parse(String(typedData));
    const from = parseAddress(String(message.from));
    const to = parseAddress(String(message.to));
    const value = parseAtomicAmount(String(message.value));
    const validAfter = parseAtomicAmount(String(message.validAfter));
    const validBefore = parseAtomicAmount(String(message.validBefore));
    const nonce = parseBytes32(String(message.nonce));
    if (primaryType !== 'TransferWithAuthorization') return null;
    if (!from || !to || value === null || validAfter === null || validBefore === null || !nonce) return null;
    return { from, to, value, validAfter, validBefore, nonce };
  } catch {
    return null;
  }
}
