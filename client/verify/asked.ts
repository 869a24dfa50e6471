import { faultOf } from '../chain-provider.ts';

export type Asked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/**
 * What a node answered, or why it did not: a node that is silent, lags, refuses or answers with what nobody can read says
 * nothing about what was asked, so it never makes anything false. What it answers is somebody else's word in any shape:
 * whatever is thrown while it is read, ethers' own TypeErrors among it, is put down to the answer.
 */
export async function asked<T>(whom: string, work: Promise<T>): Promise<Asked<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      return { ok: false, message: `${whom} did not answer: ${faultOf(error)}` };
    }
    return { ok: false, message: `${whom} answered with something that cannot be read` };
  }
}
