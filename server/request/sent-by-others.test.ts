import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenStore } from '../store/store.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

// A settled payment is public on the chain, so anyone can send it with another request (D-399).

let gateway: TestGateway;
let chat: string;
/** While set, the next reading of a payment waits for it. */
let held: { readonly begun: () => void; readonly gate: Promise<void> } | null = null;
let readings = 0;

beforeAll(async () => {
  const wrapStore = (store: OpenStore): OpenStore => ({
    ...store,
    async lookUp(...parameters) {
      readings += 1;
      const mine = held;
      held = null;
      mine?.begun();
      await mine?.gate;
      return store.lookUp(...parameters);
    },
  });
  gateway = await startTestGateway({}, undefined, { wrapStore });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

/** Starts a request whose first reading of the store waits until `release`. */
async function startHeld(body: object, header: Readonly<Record<string, string>>) {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  held = { begun: begun.resolve, gate: gate.promise };
  const response = post(chat, body, header);
  await begun.promise;
  return { response, release: gate.resolve };
}

const pay = async () => paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
const otherBody = { ...chatBody, messages: [{ role: 'user', content: 'something else' }] };

it('a repeated request gets its completion while somebody sends its payment with another request', async () => {
  const header = await pay();
  const first = await post(chat, chatBody, header);
  expect(first.status).toBe(200);
  const other = await startHeld(otherBody, header);
  readings = 0;
  const again = post(chat, chatBody, header);
  await Promise.race([again, expect.poll(() => readings).toBeGreaterThan(0)]);
  other.release();
  expect((await other.response).status).toBe(402);
  const replayed = await again;
  expect([replayed.status, replayed.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
  expect(replayed.body).toEqual(first.body);
});

it('another request with a payment in progress gets 402 at once', async () => {
  const header = await pay();
  const first = await startHeld(chatBody, header);
  const other = await post(chat, otherBody, header);
  expect([other.status, other.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  first.release();
  expect((await first.response).status).toBe(200);
});
