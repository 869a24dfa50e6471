/** The wait for a wallet, which a visitor can end. */
export type WalletWait = {
  /** Waits for a request of the wallet. Throws when the visitor stops, and then drops any later result. */
  until<T>(asked: Promise<T>): Promise<T>;
  stop(): void;
};

/** The reason of a wait that the visitor ended. */
export const stoppedMessage = 'you stopped waiting for it';

/** `show` is told whether the page waits for the wallet. */
export function createWalletWait(show: (isWaiting: boolean) => void): WalletWait {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // The rejection counts as handled also when no wait is in progress.
  stopped.catch(() => undefined);
  return {
    async until(asked) {
      show(true);
      try {
        return await Promise.race([asked, stopped]);
      } finally {
        show(false);
      }
    },
    stop: () => reject(new Error(stoppedMessage)),
  };
}
