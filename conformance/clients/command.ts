import { spawn } from 'node:child_process';
import { network } from '@paid-inference/contract/constants';
import { type Buyer, model, type Purchase, payTo, priceMaxUnits } from './purchase.ts';
import type { Ended } from './recording.ts';

/** The environment variables that tell a command what to buy, and within which limits. */
export const variables = {
  CONFORMANCE_URL: 'base URL of the gateway, without `/v1`',
  CONFORMANCE_KEY_FILE: 'file of mode 600 with the private key of a funded payer',
  CONFORMANCE_MODEL: 'model to ask for',
  CONFORMANCE_PRICE_MAX: "highest price of one request, in the token's smallest unit",
  CONFORMANCE_TOKEN: 'the only token to pay in',
  CONFORMANCE_PAY_TO: 'the only recipient to pay',
  CONFORMANCE_NETWORK: 'the only network to pay on',
  CONFORMANCE_RPC_URL: 'JSON-RPC endpoint of the chain, to check receipts',
  CONFORMANCE_STREAM: '`true` if the gateway streams to a command that asks for a stream, else `false`',
} as const;

type Variables = Readonly<Record<keyof typeof variables, string>>;

function describePurchase({ gatewayUrl, keyFile, token, rpcUrl, isStreamed }: Purchase): Variables {
  return {
    CONFORMANCE_URL: gatewayUrl,
    CONFORMANCE_KEY_FILE: keyFile,
    CONFORMANCE_MODEL: model,
    CONFORMANCE_PRICE_MAX: priceMaxUnits.toString(),
    CONFORMANCE_TOKEN: token,
    CONFORMANCE_PAY_TO: payTo,
    CONFORMANCE_NETWORK: network,
    CONFORMANCE_RPC_URL: rpcUrl,
    CONFORMANCE_STREAM: `${isStreamed}`,
  };
}

const outputLengthMax = 2_000;

/** A buyer that runs a command once for each purchase, and ends it with all its children at the deadline. */
export function createCommandBuyer(
  [program = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  deadlineSeconds: number,
): Buyer {
  return (purchase, signal) =>
    new Promise((resolve) => {
      const child = spawn(program, args, {
        env: { ...environment, ...describePurchase(purchase) },
        // Standard output is the completion, which shows nothing.
        stdio: ['ignore', 'ignore', 'pipe'],
        // A group of its own, so that the deadline also ends the children of a shell.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      let [output, isOverdue] = ['', false];
      const kill = () => killGroup(child.pid);
      const timer = setTimeout(() => {
        isOverdue = true;
        kill();
      }, deadlineSeconds * 1_000);
      const end = (ended: Pick<Ended, 'exitCode' | 'unstartable'>) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', kill);
        resolve({ ...ended, isOverdue, output });
      };
      signal?.addEventListener('abort', kill, { once: true });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-outputLengthMax);
      });
      child.on('error', ({ message }) => end({ exitCode: null, unstartable: message }));
      child.on('close', (exitCode) => end({ exitCode }));
    });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}
