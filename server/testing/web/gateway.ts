import { createReferenceEngine } from '../../inference/reference/reference-engine.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';

/** Starts a gateway with a devnet and the reference engine, as a visitor of `npm start` finds it. */
export async function startWebGateway(
  settings: Parameters<typeof startTestGateway>[0] = {},
): Promise<TestGateway> {
  const gateway = await startTestGateway({ proofBatchAgeSeconds: 1, ...settings });
  const reference = createReferenceEngine();
  gateway.engine.answering = (task, limits) => reference.infer(task, limits);
  gateway.engine.streaming = (task, limits) => reference.stream(task, limits);
  return gateway;
}
