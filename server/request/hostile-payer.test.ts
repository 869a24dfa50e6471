import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { expect, it, onTestFinished } from 'vitest';
import { configSchema } from '../config/schema.ts';
import { loadCatalog } from '../inference/catalog.ts';
import { createEngines } from '../inference/engines.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatCompletion } from '../testing/inference/exchange.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

const rejected = 'a prompt that the template of the model rejects';

/** Some servers return 500 for a chat that the template of their model rejects, or for a schema. */
async function startUpstream(): Promise<string> {
  const server = createServer(async (request, response) => {
    const isProbe = request.method === 'GET';
    const { messages } = isProbe ? { messages: [] } : ((await readJson(request)) as ChatCompletionRequest);
    const isRejected = messages[0]?.content === rejected;
    response.writeHead(isRejected ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isProbe ? { data: [] } : chatCompletion({ content: 'Hi.' })));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** A gateway with one model, which one upstream runs. */
async function startGateway(upstreamUrl: string): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-hostile-'));
  const models = [{ ...model, upstream: { base_url: upstreamUrl, model: 'm' } }];
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify({ models }));
  const catalog = loadCatalog({ models });
  if (!catalog.ok) throw new Error(catalog.fault.join('\n'));
  const log = { info: () => undefined, warn: () => undefined };
  const engines = createEngines(catalog.value, configSchema.parse({}), {}, log);
  if (!engines.ok) throw new Error(engines.fault.join('\n'));
  const gateway = await startTestGateway({ catalogFile }, undefined, { engines: engines.value });
  onTestFinished(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return gateway;
}

const model = {
  id: chatBody.model,
  created: 1_700_000_000,
  owned_by: 'alder',
  engine: 'openai',
  context_length: 8_192,
  max_output_tokens: 2_048,
  pricing: { input_per_million: '1', output_per_million: '1', minimum: '1000' },
};

it('a payer whose requests make the upstream return 500 keeps no other payer from buying (D-342)', async () => {
  const gateway = await startGateway(await startUpstream());
  const chat = `${gateway.url}${chatPath}`;
  const buy = async (privateKey: string, content: string) => {
    const body = { ...chatBody, messages: [{ role: 'user', content }], user: randomUUID() };
    const offer = decodeOffer(await post(chat, body));
    return (await post(chat, body, await paymentFor(offer, privateKey))).status;
  };
  const [mallory, alice] = [await gateway.devnet.fundPayer(), await gateway.devnet.fundPayer()];
  const seen: number[] = [];
  for (let each = 0; each < 6; each++) seen.push(await buy(mallory.privateKey, rejected));
  expect(seen).toEqual([502, 502, 502, 502, 502, 503]);
  expect(await buy(alice.privateKey, 'ping')).toBe(200);
  expect(await buy(mallory.privateKey, rejected)).toBe(502);
});
