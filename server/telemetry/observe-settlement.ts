import type { RelayerBalance, SettlementObserver } from '../observe/observers.ts';
import type { Instruments } from './instruments.ts';

/** The gas of a payment that is settled alone. Stands for the mean before the first settlement. */
const gasPerPaymentAtFirst = 66_000;
const weiPerEther = 1e18;

/** Counts settlement transactions, and the payments that the ether of each relayer covers. */
export function observeSettlement(instruments: Instruments): SettlementObserver {
  let gas = 0;
  let payments = 0;
  for (const result of ['mined', 'reverted'])
    instruments.paid_inference_settlement_transactions_total.inc({ result }, 0);
  return {
    mined(settlement) {
      const result = settlement.isReverted ? 'reverted' : 'mined';
      instruments.paid_inference_settlement_transactions_total.inc({ result });
      instruments.paid_inference_settlement_batch_payments.observe(settlement.payments);
      if (settlement.gas === null) return;
      const used = Number(settlement.gas.used);
      const feeEther = (used * Number(settlement.gas.weiPerGas)) / weiPerEther;
      instruments.paid_inference_settlement_fee_ether_total.inc(feeEther);
      if (settlement.payments === 0) return;
      gas += used;
      payments += settlement.payments;
      instruments.paid_inference_settlement_gas_per_payment.observe(used / settlement.payments);
    },
    gasBalance({ relayer, wei, weiPerGas, isEmpty }: RelayerBalance) {
      const gasPerPayment = payments === 0 ? gasPerPaymentAtFirst : gas / payments;
      const covered = Math.floor(Number(wei) / (gasPerPayment * Math.max(1, Number(weiPerGas))));
      instruments.paid_inference_relayer_balance_ether.set({ relayer }, Number(wei) / weiPerEther);
      instruments.paid_inference_relayer_payments_covered.set({ relayer }, isEmpty ? 0 : covered);
    },
  };
}
