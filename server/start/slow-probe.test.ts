import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createUpstreamProbe } from '../inference/openai/upstream-probe.ts';
import { createCountingEngine, createEngines } from '../testing/counting-engine.ts';
import { startTestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

it('sells a completion while the upstream takes long to list its models (D-357)', async () => {
  const lists: ServerResponse[] = [];
  const server = createServer((_, response) => {
    // The start of the gateway gets its list at once.
    if (lists.push(response) === 1) response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const probe = createUpstreamProbe({ baseUrl: `http://127.0.0.1:${port}/v1`, connectTimeoutMs: 10_000 });
  onTestFinished(() => probe.close());
  const engine = {
    ...createCountingEngine(),
    upstreams: [{ probe, breakerIssue: () => null, isWorking: () => true }],
  };
  // Each payment arrives after the last result has become old.
  const gateway = await startTestGateway({ upstreamHealthAgeMaxMs: 1 }, undefined, {
    engines: createEngines(engine),
  });
  onTestFinished(() => gateway.stop());
  const chat = `${gateway.url}${chatPath}`;
  const payment = await paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
  expect((await post(chat, chatBody, payment)).status).toBe(200);
  expect(lists.slice(1).map(({ closed }) => closed)).toEqual([false]);
});
