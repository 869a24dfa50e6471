import { describeFault } from '../chain-provider.ts';

export type Asked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/**
 * Returns the result of a node, or the reason why there is none. A node that is down, lags, refuses or returns
 * garbage never makes a step false. Errors while the result is read count as garbage, ethers' own TypeErrors
 * included.
 */
export async function asked<T>(whom: string, work: Promise<T>): Promise<Asked<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      return { ok: false, message: `${whom} failed: ${describeFault(error)}` };
    }
    return { ok: false, message: `${whom} returned an unreadable response` };
  }
}
