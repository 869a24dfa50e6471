import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { createMemoryJournal } from '../payment/journal.ts';
import { type ProxyOptions, startProxy } from '../proxy/proxy.ts';
import { chatBody, setStage } from './exchange.ts';

export const accessToken = 'the-token-of-the-tests';
export const chatPath = '/v1/chat/completions';

/** A proxy in front of a test gateway, and OpenAI's SDK as its tool. */
export async function setProxy(change: Partial<ProxyOptions> = {}) {
  const stage = await setStage();
  const { signer, rules, timeoutMs } = stage.options({ amountTotalMax: 25_000n });
  const told: string[] = [];
  const options: ProxyOptions = {
    upstream: stage.gateway.url,
    accessToken,
    journal: createMemoryJournal(),
    port: 0,
    say: (line) => void told.push(line),
    signer,
    rules,
    // Kept completions wait for the end of the test.
    clock: {
      nowSeconds: stage.clock.nowSeconds,
      waitMs: (ms, signal) => (ms < 60_000 ? stage.clock.waitMs(ms, signal) : new Promise(() => undefined)),
    },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...change,
  };
  const proxy = await startProxy(options);
  const openai = new OpenAI({ baseURL: proxy.url, apiKey: accessToken, maxRetries: 0 });
  return {
    stage,
    told,
    options,
    proxy,
    openai,
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await stage.gateway.close();
    },
  };
}

export type Asked = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** Sends a request with any header, unlike `fetch`. */
export async function send(
  url: string,
  { path = chatPath, method = 'POST', headers = {}, body }: Asked = {},
) {
  const authorization = `Bearer ${accessToken}`;
  const asking = request(new URL(path, url), { method, headers: { authorization, ...headers } });
  asking.end(method === 'POST' ? (body ?? JSON.stringify(chatBody)) : undefined);
  const [response] = await once(asking, 'response');
  return { status: response.statusCode, error: JSON.parse(await text(response)).error };
}
