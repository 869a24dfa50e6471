import { Wallet } from 'ethers';

/** How the wallet of a test behaves. A test may change it while the page is open, as a user changes a wallet. */
export type WalletHabits = {
  privateKey: string;
  /** The chain of the wallet, as a number. It knows no other chain. */
  chainId: number;
  /** The user rejects every signature. */
  rejects?: boolean;
  /** The wallet signs with another key than that of its account. */
  signsWith?: string;
  /** The error of each method that fails. */
  fails?: Readonly<Record<string, { readonly code: number; readonly message: string }>>;
  /** A method that the wallet never answers. */
  silent?: string;
};

type Call = { readonly method: string; readonly params?: readonly unknown[] };
type Signable = Parameters<Wallet['signTypedData']>;

/** Answers the requests of the wallet in a page. Its key never reaches the page. */
export function createWallet(habits: WalletHabits) {
  return async ({ method, params = [] }: Call): Promise<{ result?: unknown; error?: object }> => {
    const { privateKey, chainId, rejects = false, signsWith = privateKey, fails = {}, silent } = habits;
    if (method === silent) return new Promise(() => undefined);
    const error = fails[method];
    if (error !== undefined) return { error };
    switch (method) {
      case 'eth_requestAccounts':
        return { result: [new Wallet(privateKey).address.toLowerCase()] };
      case 'eth_chainId':
        return { result: `0x${chainId.toString(16)}` };
      case 'wallet_switchEthereumChain':
        return { error: { code: 4902, message: 'Unrecognized chain ID' } };
      case 'eth_signTypedData_v4': {
        if (rejects) return { error: { code: 4001, message: 'User rejected the request.' } };
        const { domain, types, message } = JSON.parse(String(params[1]));
        // ethers makes the type of the domain itself.
        const { EIP712Domain: _, ...signed } = types;
        const result = await new Wallet(signsWith).signTypedData(domain as Signable[0], signed, message);
        return { result };
      }
      default:
        return { error: { code: 4200, message: `Unsupported method ${method}` } };
    }
  };
}

/** The name of the wallet in the page. */
export const walletName = 'Test wallet';

/** The wallet in the page, as an extension injects it. The test answers its requests. */
export const injectedWalletScript = `
  const provider = {
    async request(call) {
      const { result, error } = await window.requestOfWallet(call);
      if (error) throw error;
      return result;
    },
  };
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: ${JSON.stringify(walletName)}, icon: 'data:,', rdns: 'test.wallet' };
  const announce = () => {
    const detail = Object.freeze({ info, provider });
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
`;
