import { Contract, JsonRpcProvider } from 'ethers';
import { isMovedIn, isUsedIn } from '../chain/settlement.ts';
import { readPayment } from '../clients/wire.ts';
import type { GatewayProcess } from '../testing/gateway-process.ts';
import { member } from '../wire/base64-json.ts';
import { type Exchanges, readHeader } from './scenarios.ts';

/** Reads the payer's balance and the transactions of its payments from the devnet of a gateway. */
export type PaymentReader = {
  balance(): Promise<bigint>;
  /** Checks the number of served payments, their transactions, and the payer's loss. One sentence for each fault. */
  check(exchanges: Exchanges, payments: number, before: bigint): Promise<readonly string[]>;
  close(): void;
};

export function createPaymentReader({ ready }: GatewayProcess): PaymentReader {
  const provider = new JsonRpcProvider(ready.chain.rpcUrl, undefined, { staticNetwork: true });
  const abi = ['function balanceOf(address) view returns (uint256)'];
  const token = new Contract(ready.token.address, abi, provider);
  const balance = (): Promise<bigint> => token.getFunction('balanceOf')(ready.payer.address);

  async function isSettled(txHash: unknown, authorization: Parameters<typeof isUsedIn>[2]): Promise<boolean> {
    const receipt = await provider.send('eth_getTransactionReceipt', [txHash]);
    const logs = member(receipt, 'logs');
    if (!Array.isArray(logs)) return false;
    const { address } = ready.token;
    return isUsedIn(logs, address, authorization) && isMovedIn(logs, address, authorization);
  }

  return {
    balance,
    async check(exchanges, payments, before) {
      const served = exchanges.flatMap((exchange) => {
        const payment = readPayment(exchange.request.headers);
        if (exchange.response.status !== 200 || payment === undefined || payment === 'unreadable') return [];
        return [{ payment, txHash: member(readHeader(exchange, 'X-PAYMENT-RESPONSE'), 'txHash') }];
      });
      const faults: string[] = [];
      if (served.length !== payments)
        faults.push(`The gateway served ${served.length} payments, not ${payments}.`);
      for (const { payment, txHash } of served) {
        const { value, validAfter, validBefore, ...rest } = payment.authorization;
        const times = { validAfter: Number(validAfter), validBefore: Number(validBefore) };
        if (!(await isSettled(txHash, { ...rest, ...times, value: value.toString() })))
          faults.push(`The transaction ${txHash} does not settle the payment.`);
      }
      const paid = served.reduce((sum, { payment }) => sum + payment.authorization.value, 0n);
      const lost = before - (await balance());
      if (lost !== paid) faults.push(`The payer lost ${lost} units, but signed ${paid}.`);
      return faults;
    },
    close: () => provider.destroy(),
  };
}
