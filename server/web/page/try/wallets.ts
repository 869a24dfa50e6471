import type { WalletProvider } from '@paid-inference/client';
import { useEffect, useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';

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
      if (wallet !== null) setFound((all) => [...all.filter(({ id }) => id !== wallet.id), wallet]);
    };
    window.addEventListener('eip6963:announceProvider', announced);
    window.dispatchEvent(new Event('eip6963:requestProvider'));
    return () => window.removeEventListener('eip6963:announceProvider', announced);
  }, []);
  return [...found, ...own];
}

function readAnnouncement(event: Event): ChosenWallet | null {
  const { info, provider } = (event as CustomEvent).detail ?? {};
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string') return null;
  if (typeof provider?.request !== 'function') return null;
  return { id: info.uuid, name: info.name, provider };
}

/** The payer of the devnet. The gateway signs, so that the key never reaches the page (D-375). */
const devnetWallet: ChosenWallet = {
  id: 'devnet',
  name: 'Test payer of the devnet',
  provider: {
    async request(call) {
      const response = await fetch('/web/devnet-wallet', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(call),
      });
      const { result, error } = await response.json();
      if (error !== undefined) throw error;
      return result;
    },
  },
};
