import type { SavedExchange, SettlementType } from '@paid-inference/contract/types';
import type { Enclave } from './enclave.ts';
import { type Scene, setScene } from './proven.ts';
import { proofOf } from './tamper.ts';

/** A scene in which one inference of each settlement type was bought, and recorded as that type says. */
export type Purchases = {
  readonly scene: Scene;
  readonly enclave: Enclave;
  readonly bought: Readonly<Record<SettlementType, SavedExchange>>;
};

export async function makePurchases(): Promise<Purchases> {
  const scene = await setScene();
  const enclave = await scene.enclave();
  const bought = {
    private: await scene.exchange(enclave, 'private'),
    individual: await scene.exchange(enclave, 'individual'),
    batch: await scene.exchange(enclave, 'batch'),
  };
  await scene.record(proofOf(bought.individual));
  await scene.recordBatch([proofOf(bought.batch)]);
  return { scene, enclave, bought };
}
