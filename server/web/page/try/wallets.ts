import type { WalletProvider } from '@paid-inference/client';
import { useEffect, useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import { link } from '../root.ts';

/** A wallet that the visitor can choose. */
export type ChosenWallet = {
  readonly id: string;
  readonly name: string;
  readonly provider: WalletProvider;
};

/** The wallets of the browser (EIP-6963), and the payer of the devnet where the gateway runs one. */
export function useWallets({ devnetPayer }: SiteFacts): readonly ChosenWallet[] {
  const own = devnetPayer === null ? [] : [devnetWallet];
  const [found, setFound] = useState<readonly ChosenWallet[]>([]);
  useEffect(() => {
    const announced = (event: Event) => {
      const wallet = readAnnouncement(event);
      if (wallet !== null) setFound((all) => addWallet(all, wallet));
    };
    window.addEventListener('eip6963:announceProvider', announced);
    window.dispatchEvent(new Event('eip6963:requestProvider'));
    return () => window.removeEventListener('eip6963:announceProvider', announced);
  }, []);
  return [...own, ...found];
}

/** Adds a wallet. One that announces itself again keeps its place, because the first one is chosen until the visitor chooses. */
function addWallet(all: readonly ChosenWallet[], wallet: ChosenWallet): readonly ChosenWallet[] {
  const isKnown = all.some(({ id }) => id === wallet.id);
  return isKnown ? all.map((each) => (each.id === wallet.id ? wallet : each)) : [...all, wallet];
}

/** The wallet of an event of EIP-6963. Null for anything else, because any script may send such an event. */
function readAnnouncement(event: Event): ChosenWallet | null {
  const { info, provider } = (event as CustomEvent).detail ?? {};
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string') return null;
  if (typeof provider?.request !== 'function') return null;
  return { id: `wallet ${info.uuid}`, name: info.name, provider };
}

const timeoutMs = 15_000;

/** The payer of the devnet. The gateway signs, so that the key never reaches the page (D-375). */
const devnetWallet: ChosenWallet = {
  id: 'devnet',
  name: 'Test payer of the devnet',
  provider: {
    async request(call) {
      const response = await fetch(link('/web/devnet-wallet'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(call),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { result, error } = await response.json();
      if (error !== undefined) throw error;
      return result;
    },
  },
};
