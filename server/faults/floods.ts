import { headerNames } from '@paid-inference/contract/constants';
import { connectRaw, type RawClient } from '../testing/raw-client.ts';
import type { Payment } from './buyers.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { model } from './scenario-context.ts';

const group = 'A client that floods';
const connections = 25;
const pipelined = 1_700;
const purchases = 5;
/** The most memory that a flood may add. Most of it is garbage of a busy process. */
const growthMiBMaxUsual = 150;
const floodSettings = {
  addressRateLimit: null,
  probeRateLimit: null,
  payerRateLimit: null,
  refusalRateLimit: null,
  // A scenario checks whether others are served, not how fast.
  settlementWaitMs: 20_000,
};
const limit = 'no rate limits, so that only the memory bounds apply; memory is read on Linux';

type Flood = {
  readonly name: string;
  readonly connections?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly growthMiBMax?: number;
  readonly fast?: string;
  /** The bytes that each connection sends without reading a response. */
  readonly bytes: (payment: Payment) => string;
};

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (body: string, headers = '') =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chat = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 });
const hundredThousandNames = JSON.stringify(
  Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [at.toString(36), 0])),
);
const unfinished = (bodyBytes: number) => post('x'.repeat(bodyBytes)).slice(0, -1);
const byteByByte = (bodyBytes: number) =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
  `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(bodyBytes)}`;

const unread = `${connections} connections, each with ${pipelined} pipelined`;
const floods: readonly Flood[] = [
  {
    name: `${unread} GET /openapi.json, and no response is read`,
    fast: 'serves other clients while one pipelines 42,500 requests and reads no response (D-132)',
    bytes: () => get('/openapi.json').repeat(pipelined),
  },
  {
    name: `${unread} HEAD /openapi.json`,
    bytes: () => get('/openapi.json').replace('GET', 'HEAD').repeat(pipelined),
  },
  { name: `${unread} GET /v1/attestation`, bytes: () => get('/v1/attestation').repeat(pipelined) },
  {
    name: `${unread} GET /v1/attestation with a nonce`,
    bytes: () => get(`/v1/attestation?nonce=0x${'ab'.repeat(32)}`).repeat(pipelined),
  },
  { name: `${unread} GET /v1/models`, bytes: () => get('/v1/models').repeat(pipelined) },
  {
    name: `${unread} GET of a proof that does not exist`,
    bytes: () => get(`/v1/proofs/0x${'12'.repeat(32)}`).repeat(pipelined),
  },
  { name: `${unread} GET of a path that does not exist`, bytes: () => get('/x').repeat(pipelined) },
  {
    name: `${unread} preflights`,
    bytes: () =>
      get('/v1/chat/completions', 'Origin: http://x\r\n').replace('GET', 'OPTIONS').repeat(pipelined),
  },
  { name: `${unread} unpaid requests`, bytes: () => post(chat).repeat(pipelined) },
  {
    name: `${unread} copies of one paid request`,
    bytes: ({ body, headers }) => {
      const payment = `${headerNames.payment}: ${headers[headerNames.payment]}\r\n`;
      return post(JSON.stringify(body), payment).repeat(pipelined);
    },
  },
  {
    name: `${unread} unpaid requests that expect 100-continue`,
    bytes: () => post(chat, 'Expect: 100-continue\r\n').repeat(pipelined),
  },
  {
    name: `${unread} upgrades to a web socket`,
    bytes: () => get('/openapi.json', 'Connection: Upgrade\r\nUpgrade: websocket\r\n').repeat(pipelined),
  },
  {
    name: `${connections} connections, each with 10 bodies of 100,000 distinct names`,
    // The gateway reads and rejects 250 bodies of 1 MiB, which leaves more garbage than small requests.
    growthMiBMax: 300,
    fast: 'serves other clients while one sends bodies of 100,000 names (D-134)',
    bytes: () => post(hundredThousandNames).repeat(10),
  },
  {
    name: '200 connections, each with a body of 1 MiB that lacks its last byte; 32 MiB may arrive at once',
    connections: 200,
    settings: { arrivingBytesMax: 32 * 1_048_576 },
    // The gateway reads 200 MiB, of which it may hold 32 MiB at once.
    growthMiBMax: 300,
    bytes: () => unfinished(1_048_576),
  },
  {
    name: '800 connections, each with a body of 1 MiB; 32 MiB may arrive at once',
    connections: 800,
    settings: { arrivingBytesMax: 32 * 1_048_576 },
    // Node would read 800 MiB in one turn of the event loop (D-409).
    growthMiBMax: 300,
    bytes: () => `${unfinished(1_048_576)}x`,
  },
  {
    name: `${connections} connections, each with a body of 200,000 chunks of one byte that does not end`,
    bytes: () => byteByByte(200_000),
  },
  {
    name: '1,000 connections with half a request each',
    connections: 1_000,
    settings: { addressConnectionsMax: null },
    bytes: () => 'GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-',
  },
];

export const floodScenarios: readonly Scenario[] = floods.map(({ name, fast, ...flood }) => ({
  group,
  name,
  store: 'sqlite',
  limit,
  ...(fast && { fast }),
  run: (context) => underFlood(context, { name, ...flood }),
}));

/** The gateway runs on within its memory bound, and other clients buy at their first attempt. */
async function underFlood(context: ScenarioContext, flood: Flood): Promise<void> {
  const gateway = await context.start({ settings: { ...floodSettings, ...flood.settings } });
  await buy(context, gateway);
  const before = gateway.memoryPeakMiB();
  const flooded = await context.buyers.sign();
  const bytes = Buffer.from(flood.bytes(flooded));
  const clients = await Promise.all(
    Array.from({ length: flood.connections ?? connections }, () => connectRaw(gateway.url)),
  );
  for (const { socket } of clients) socket.write(bytes);
  await checkModelsListed(context, gateway);
  for (let each = 0; each < purchases; each++) await buy(context, gateway);
  await settle(clients, gateway);
  const after = gateway.memoryPeakMiB();
  for (const { socket } of clients) socket.destroy();
  context.check(gateway.isRunning(), 'the flood ended the gateway');
  const growthMiBMax = flood.growthMiBMax ?? growthMiBMaxUsual;
  context.check(after - before <= growthMiBMax, `memory grew by ${after - before} MiB`);
  context.note(`memory peaked at ${after} MiB, ${before} MiB before the flood`);
}

async function buy(context: ScenarioContext, gateway: GatewayProcess): Promise<void> {
  const seen = await context.buyers.send(gateway.chat, await context.buyers.sign());
  const what = seen.kind === 'response' ? `${seen.status} ${seen.code}` : 'no response';
  context.check(seen.kind === 'response' && seen.status === 200, `a purchase by another client got ${what}`);
}

async function checkModelsListed(context: ScenarioContext, { url }: GatewayProcess): Promise<void> {
  const response = await fetch(`${url}/v1/models`).catch(() => null);
  context.check(response?.status === 200, 'another client did not get the models');
}

/**
 * Waits until the gateway takes no more bytes: every socket is done, or the unsent bytes are the same twice.
 */
async function settle(clients: readonly RawClient[], gateway: GatewayProcess): Promise<void> {
  const waiting = () => clients.reduce((sum, { socket }) => sum + socket.writableLength, 0);
  let last = -1;
  while (gateway.isRunning() && waiting() !== last) {
    last = waiting();
    await fetch(`${gateway.url}/health`).catch(() => null);
  }
}
