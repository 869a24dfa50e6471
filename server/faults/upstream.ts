import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An inference request of a gateway. */
export type Inference = {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** The prompt, which identifies the payment. */
  readonly prompt: string;
  state: 'under way' | 'answered' | 'failed' | 'cancelled';
};

/** The upstream's treatment of an inference. A promise delays the inference until it resolves. */
export type UpstreamConduct = 'responds' | 'fails' | 'hangs' | 'breaks-off' | 'babbles' | LiveConduct;

/** For a stream: sends the first text, and then what `next` says. Other requests get a response. */
export type LiveConduct = { readonly next: () => Promise<'responds' | 'breaks-off'> };

/** A fake model server that the gateway's own upstream engine calls. */
export type Upstream = {
  readonly baseUrl: string;
  readonly inferences: readonly Inference[];
  conduct: (inference: Inference) => UpstreamConduct | Promise<UpstreamConduct>;
  /** Refuses new connections and closes the open ones. */
  off(): Promise<void>;
  on(): Promise<void>;
};

export const answering: Upstream['conduct'] = () => 'responds';

/** The prompt of a stream that a gateway takes at its start (`hasStreamed`). It is no inference of a buyer. */
export const firstPrompt = 'first stream';

/** The text of a completion. A buyer can tell from the text which inference it got. */
export function createText({ number, prompt }: Pick<Inference, 'number' | 'prompt'>): string {
  return `completion ${number} to ${prompt}`;
}

export async function startUpstream(): Promise<Upstream> {
  const inferences: Inference[] = [];
  let server: Server | null = await listen(0);
  const { port } = server.address() as AddressInfo;

  async function infer(body: string, response: ServerResponse): Promise<void> {
    const { messages, stream = false } = JSON.parse(body) as {
      readonly messages: readonly { readonly content: string }[];
      readonly stream?: boolean;
    };
    const prompt = messages[0]?.content ?? '';
    const inference: Inference = { number: inferences.length + 1, prompt, state: 'under way' };
    if (prompt === firstPrompt) return behaveLive(inference, 'responds', response);
    inferences.push(inference);
    response.once('close', () => {
      if (inference.state === 'under way') inference.state = 'cancelled';
    });
    const conduct = await upstream.conduct(inference);
    if (stream) await behaveLive(inference, conduct, response);
    else behave(inference, typeof conduct === 'string' ? conduct : 'responds', response);
  }
  const upstream: Upstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    inferences,
    conduct: answering,
    async off() {
      const closing = server;
      server = null;
      if (closing === null) return;
      const closed = once(closing, 'close');
      closing.close();
      closing.closeAllConnections();
      await closed;
    },
    async on() {
      server ??= await listen(port);
    },
  };
  return upstream;

  async function listen(at: number): Promise<Server> {
    const opened = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}');
        return;
      }
      // A gateway that is killed may close the connection early.
      void text(request)
        .then((body) => infer(body, response))
        .catch(() => response.destroy());
    });
    opened.listen(at, '127.0.0.1');
    await once(opened, 'listening');
    return opened;
  }
}

/** Writes a stream. One that breaks off by itself has no text. */
async function behaveLive(
  inference: Inference,
  conduct: UpstreamConduct,
  response: ServerResponse,
): Promise<void> {
  if (conduct === 'fails' || conduct === 'hangs' || conduct === 'babbles')
    return behave(inference, conduct, response);
  if (inference.state === 'cancelled') return;
  const write = (chunk: object | string) =>
    response.write(`data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`);
  const { choices: _, usage, ...head } = createCompletion(inference);
  const chunk = (delta: object, finish_reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason }];
    return { ...head, object: 'chat.completion.chunk', choices };
  };
  const text = createText(inference);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  write(chunk({ role: 'assistant', content: '' }));
  if (conduct !== 'breaks-off') write(chunk({ content: text.slice(0, 4) }));
  const next = typeof conduct === 'string' ? conduct : await conduct.next();
  // The gateway may have stopped the stream meanwhile.
  if (response.destroyed) return;
  inference.state = next === 'responds' ? 'answered' : 'failed';
  if (next !== 'responds') return void response.destroy();
  write(chunk({ content: text.slice(4) }, 'stop'));
  write({ ...head, choices: [], usage });
  write('[DONE]');
  response.end();
}

function behave(
  inference: Inference,
  conduct: Exclude<UpstreamConduct, LiveConduct>,
  response: ServerResponse,
): void {
  if (inference.state === 'cancelled' || conduct === 'hangs') return;
  inference.state = conduct === 'responds' ? 'answered' : 'failed';
  const body = JSON.stringify(createCompletion(inference));
  const json = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  switch (conduct) {
    case 'responds':
      response.writeHead(200, json).end(body);
      return;
    case 'fails':
      response.writeHead(500).end();
      return;
    case 'breaks-off':
      response.writeHead(200, json).write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    case 'babbles':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":');
  }
}

function createCompletion(inference: Inference) {
  const message = { role: 'assistant', content: createText(inference) };
  return {
    id: `upstream-${inference.number}`,
    object: 'chat.completion',
    created: 1_800_000_000,
    model: 'stand-in',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
