import type { SavedExchange, SettlementType } from '@paid-inference/contract/types';
import type { Enclave } from './enclave.ts';
import { type Scene, setScene } from './proven.ts';
import { decodeProof } from './tamper.ts';

/** A scene with one purchase of each settlement type, recorded as its type requires. */
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
  await scene.record(decodeProof(bought.individual));
  await scene.recordBatch([decodeProof(bought.batch)]);
  return { scene, enclave, bought };
}
