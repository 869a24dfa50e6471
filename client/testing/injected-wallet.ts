import { toQuantity, type Wallet } from 'ethers';
import type { WalletProvider } from '../payment/wallet-signer.ts';

/** A wallet with one account, as a page sees it (EIP-1193). It fails as real wallets do, with plain objects. */
type InjectedWallet = WalletProvider & {
  /** The methods that were called, in order. */
  readonly methods: readonly string[];
};

export type WalletHabits = {
  /** The chain of the wallet at the start. */
  readonly chainId: number;
  /** The chains that the wallet can switch to. */
  readonly chains: readonly number[];
  /** A method that the user rejects. */
  readonly rejects?: string;
  /** A method that fails with this value. */
  readonly failing?: { readonly method: string; readonly value: unknown };
  /** A method without an end. */
  readonly silent?: string;
  /** Reports a switch that did not happen. */
  readonly pretendsToSwitch?: true;
  /** Replaces the result of a method. */
  readonly results?: Readonly<Record<string, unknown>>;
};

type Signable = Parameters<Wallet['signTypedData']>;
type TypedData = {
  readonly domain: Signable[0] & { readonly chainId?: string };
  readonly types: Readonly<Record<string, { name: string; type: string }[]>>;
  readonly message: Signable[2];
};

export function createInjectedWallet(key: Pick<Wallet, 'address' | 'signTypedData'>, habits: WalletHabits) {
  const methods: string[] = [];
  let chainId = habits.chainId;
  const handlers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_requestAccounts: () => [key.address.toLowerCase()],
    eth_chainId: () => toQuantity(chainId),
    wallet_switchEthereumChain([wanted]) {
      const asked = Number(Reflect.get(Object(wanted), 'chainId'));
      if (!habits.chains.includes(asked)) throw failure(4902, 'Unrecognized chain ID');
      if (!habits.pretendsToSwitch) chainId = asked;
      return null;
    },
    eth_signTypedData_v4([account, text]) {
      const { domain, types, message }: TypedData = JSON.parse(String(text));
      if (String(account).toLowerCase() !== key.address.toLowerCase())
        throw failure(4100, 'The account is not connected');
      if (Number(domain.chainId) !== chainId) throw failure(-32603, 'The chain of the data is not active');
      // ethers makes the type of the domain itself.
      const { EIP712Domain: _, ...signed } = types;
      return key.signTypedData(domain, signed, message);
    },
  };
  const wallet: InjectedWallet = {
    methods,
    async request({ method, params = [] }) {
      methods.push(method);
      if (habits.rejects === method) throw failure(4001, 'User rejected the request.');
      if (habits.failing?.method === method) throw habits.failing.value;
      if (habits.silent === method) return new Promise(() => undefined);
      if (habits.results && method in habits.results) return habits.results[method];
      const handle = handlers[method];
      if (handle === undefined) throw failure(4200, `Unsupported method ${method}`);
      return handle(params);
    },
  };
  return wallet;
}

/** Wallets reject with plain objects, which are no `Error`. */
function failure(code: number, message: string): object {
  return { code, message };
}
