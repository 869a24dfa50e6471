import { getAddress, isAddress, TypedDataEncoder, toQuantity } from 'ethers';
import { walletWaitMsMax } from '../limits.ts';
import type { PaymentSigner } from './authorization.ts';

/**
 * A wallet that a browser injects into the page, or that a library connects.
 * @see https://eips.ethereum.org/EIPS/eip-1193
 */
export type WalletProvider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
};

export type WalletOptions = {
  /** The account that pays. When left out, the wallet's first account pays. */
  readonly address?: string;
  /** How long the wallet's user may take for each request. */
  readonly waitMs?: number;
};

/** Errors of wallets (EIP-1193). */
const reasons: ReadonlyMap<unknown, string> = new Map([
  [4001, 'the user rejected'],
  [4100, 'the user has not authorized'],
]);
/** The error of a wallet that has no such chain (EIP-3085). */
const chainUnknown = 4902;

/**
 * A signer over a wallet that follows EIP-1193. It asks the wallet for an account and for the chain of the payment, and
 * the user sees the payment as typed data. Its methods reject when the user or the wallet refuses, and the client then
 * returns `refused` with the reason `signer_failed`.
 */
export function signerFromProvider(provider: WalletProvider, options: WalletOptions = {}): PaymentSigner {
  const { address, waitMs = walletWaitMsMax } = options;
  const ask = (method: string, params: readonly unknown[] = []) =>
    withinTime(
      // A wallet may throw before it returns a promise.
      Promise.resolve().then(() => provider.request({ method, params })),
      method,
      waitMs,
    );

  async function switchChain(wanted: string): Promise<void> {
    if ((await readChain()) === wanted) return;
    await ask('wallet_switchEthereumChain', [{ chainId: wanted }]).catch((error: unknown) => {
      throw readCode(error) === chainUnknown
        ? new Error(`the wallet does not know the chain ${wanted}: add it to the wallet`, { cause: error })
        : error;
    });
    // A wallet may report success before the switch, or ask its user in vain.
    const chain = await readChain();
    if (chain !== wanted)
      throw new Error(`the wallet is on the chain ${chain}, and the payment is on ${wanted}`);
  }

  async function readChain(): Promise<string> {
    const chain = await ask('eth_chainId');
    if (typeof chain !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(chain))
      throw new Error('the wallet returned no chain id');
    return toQuantity(chain);
  }

  return {
    async getAddress() {
      const accounts = await ask('eth_requestAccounts');
      // Wallets return lower case, and any other letter case may have a wrong checksum.
      const found = [accounts].flat().map((each) => String(each).toLowerCase());
      const chosen = found.find((each) =>
        address === undefined ? isAddress(each) : each === address.toLowerCase(),
      );
      if (chosen !== undefined) return getAddress(chosen);
      throw new Error(
        address === undefined
          ? 'the wallet gives this page no account'
          : `the wallet does not give this page the account ${address}: select it in the wallet`,
      );
    },
    async signTypedData(domain, types, value) {
      await switchChain(toQuantity(domain.chainId));
      // EIP-712 wants the type of the domain too, which this adds.
      const payload = TypedDataEncoder.getPayload(domain, types, value);
      const signature = await ask('eth_signTypedData_v4', [value['from'], JSON.stringify(payload)]);
      if (typeof signature !== 'string' || !/^0x[0-9a-f]{128,}$/i.test(signature))
        throw new Error('the wallet returned no signature');
      return signature;
    },
  };
}

/** Wallets reject with any object, so each error becomes an `Error` with a reason. */
async function withinTime(asked: Promise<unknown>, method: string, waitMs: number): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`the wallet did not respond to ${method} within ${waitMs} ms`)),
    waitMs,
  );
  try {
    return await Promise.race([asked, late]);
  } catch (error) {
    if (error instanceof Error && readCode(error) === null) throw error;
    throw describe(error, method);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error: unknown, method: string): Error {
  const { code = null, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  const fault = reasons.get(code) ?? 'the wallet failed at';
  const told = typeof message === 'string' && message !== '' ? `: ${message}` : '';
  const described = new Error(`${fault} ${method}${code === null ? '' : ` (${code})`}${told}`, {
    cause: error,
  });
  return Object.assign(described, { code });
}

function readCode(error: unknown): number | null {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'number' ? code : null;
}
