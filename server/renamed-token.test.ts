import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, createDeployer } from './devnet/deployer.ts';
import { freshKey, fundGas } from './devnet/funded-key.ts';
import type { RunningGateway } from './start/start.ts';
import { type CountingEngine, createCountingEngine } from './testing/counting-engine.ts';
import { createLiveText } from './testing/live-text.ts';
import { openStream } from './testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from './testing/payer.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';

// The token gets another name between a sale and the next request with its payment (D-229).

const newName = 'Renamed Payment Token';
let gateways: StartedGateways;
beforeAll(async () => {
  gateways = await openStartedGateways();
});
afterAll(() => gateways.close());

/** Another purchase for the same price. */
const streamedBody = { ...chatBody, user: 'of the stream' };

async function start(engine: CountingEngine, change: Record<string, string> = {}): Promise<RunningGateway> {
  const started = await gateways.start(change, engine, 200);
  if (!started.ok) throw new Error(started.fault.join('\n'));
  return started.value;
}

const send = ({ url }: RunningGateway, headers: Record<string, string>, body: object = chatBody) =>
  post(`${url}${chatPath}`, body, headers);

async function signAt({ url }: RunningGateway): Promise<Record<string, string>> {
  return paymentFor(decodeOffer(await post(`${url}${chatPath}`, chatBody)), gateways.devnet.payer.privateKey);
}

/** Upgrades the token to code with another name, at the same address and with the same balances. */
async function renameToken(): Promise<void> {
  const { devnet, rpc } = gateways;
  const { address: owner, privateKey } = freshKey();
  await fundGas(rpc, owner);
  const other = await createDeployer({ rpc, chainId: devnet.chainId, owner, privateKey }).deployToken(
    newName,
    'RPT',
  );
  const code = await ask(rpc, 'eth_getCode', [other, 'latest']);
  await ask(rpc, 'anvil_setCode', [devnet.token.address, code]);
}

it('a charged payment still gets its completion, and no other signature of the old name does (D-229)', async () => {
  const engine = createCountingEngine();
  const first = await start(engine);
  const [paid, settling, unused] = [await signAt(first), await signAt(first), await signAt(first)];
  const sold = await send(first, paid);
  expect(sold.status).toBe(200);
  const owed = await signAt(first);
  const model = createLiveText();
  engine.streaming = model.stream;
  model.write('one');
  const stream = await openStream(`${first.url}${chatPath}`, streamedBody, owed);
  model.break();
  await expect(stream.rest()).rejects.toThrow();
  engine.streaming = null;
  await gateways.rpc.call('evm_setAutomine', [false]);
  expect((await send(first, settling)).body.error.code).toBe('settlement_pending');
  await first.stop();
  await gateways.rpc.call('evm_setAutomine', [true]);
  await gateways.rpc.call('evm_mine', []);
  await renameToken();
  expect(await gateways.start({}, engine)).toMatchObject({ ok: false });
  const second = await start(engine, { TOKEN_NAME: newName });
  const replayed = await send(second, paid);
  expect([replayed.status, replayed.body]).toEqual([200, sold.body]);
  await expect.poll(() => send(second, settling)).toMatchObject({ status: 200 });
  const rerun = await send(second, owed, streamedBody);
  expect([rerun.status, rerun.body.choices[0].message.content]).toEqual([200, 'pong']);
  const { payload } = JSON.parse(Buffer.from(paid[headerNames.payment] ?? '', 'base64').toString());
  const forged = { payload: { ...payload, signature: `0x${'11'.repeat(64)}1b` } };
  const changed = { payload: { ...payload, authorization: { ...payload.authorization, value: '1' } } };
  const encode = (value: object) => ({
    [headerNames.payment]: Buffer.from(JSON.stringify(value)).toString('base64'),
  });
  const other = { ...chatBody, messages: [{ role: 'user', content: 'another request' }] };
  for (const [headers, body] of [
    [unused, chatBody],
    [encode(forged), chatBody],
    [encode(changed), chatBody],
    [paid, other],
  ] as const)
    expect((await send(second, headers, body)).body.error.code).toBe('invalid_signature');
  expect(engine.runs).toBe(4);
  await second.stop();
});
