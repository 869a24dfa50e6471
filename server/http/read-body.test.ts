import { EventEmitter, once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../types/result.ts';
import { type BodyFault, type BodyLimits, createJsonReader } from './read-body.ts';

/** Limits that never end a test whose body arrives. */
const ample: BodyLimits = {
  bodyBytesMax: 1_000,
  bodyTimeoutMs: 60_000,
  arrivingBytesMax: 1_048_576,
  heldBytesMax: 1_048_576,
  jsonDepthMax: 10,
  jsonValuesMax: 500,
};
let readJson = createJsonReader(ample);
let server: Server;
let port: number;
/** The result of the last request. */
let read: Promise<Result<unknown, BodyFault>>;
let arrived: () => void;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    read = readJson(request, response, '');
    arrived?.();
    await read;
    response.setHeader('Connection', 'close').end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  readJson = createJsonReader(ample);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function sendAndRead(body: string | Uint8Array, headers: Record<string, string> = {}) {
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers });
  sent.on('error', () => undefined);
  const reading = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  sent.end(body);
  await reading;
  return read;
}

/** Sends bytes and keeps the connection open. The caller closes it. */
async function sendRaw(bytes: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const reading = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  socket.write(bytes);
  await reading;
  return { socket, read };
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('A body', () => {
  it.each<[string, string, unknown]>([
    ['an object', '{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    ['white space around it', ' \n{} ', {}],
    ['any JSON value: its type is left to the validator', '"x"', 'x'],
    ['letters beyond ASCII', '{"a":"é🙂"}', { a: 'é🙂' }],
    ['as deep as allowed', nested(10), JSON.parse(nested(10))],
    ['brackets in a string do not count', `{"a":"${'['.repeat(50)}"}`, { a: '['.repeat(50) }],
    ['nor behind an escaped quote', `{"a":"\\"${'{'.repeat(50)}\\\\"}`, { a: `"${'{'.repeat(50)}\\` }],
  ])('%s', async (_name, body, value) => {
    expect(await sendAndRead(body)).toEqual({ ok: true, value });
  });

  it('that arrives in pieces, cut inside a letter', async () => {
    const bytes = Buffer.from('{"a":"é"}');
    const cut = bytes.indexOf(0xc3) + 1;
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST' });
    const reading = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    sent.write(bytes.subarray(0, cut));
    await reading;
    sent.end(bytes.subarray(cut));
    expect(await read).toEqual({ ok: true, value: { a: 'é' } });
  });
});

describe('A body that cannot be read is a fault, and the message never quotes the body', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /empty/],
    ['half an object', '{"secret":', /not valid JSON/],
    ['two values', '{"secret":1}{}', /not valid JSON/],
    ['NaN', '{"secret":NaN}', /not valid JSON/],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
    ['a letter cut off', Buffer.from([0x22, 0xc3]), /not UTF-8/],
    ['one level too deep', nested(11), /deeper than 10 levels/],
    ['a byte order mark', '\ufeff{"secret":1}', /byte order mark/],
    ['too deep, and broken too', '['.repeat(900), /deeper than 10 levels/],
    ['too deep after a string that hides its end', `["\\"]",${nested(10)}]`, /deeper than 10 levels/],
  ])('%s', async (_name, body, message) => {
    const result = await sendAndRead(body);
    expect(result).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
    expect(JSON.stringify(result)).toMatch(message);
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('D-118: a duplicate name in one object', () => {
  it.each<[string, string, string | null]>([
    ['at the top', '{"messages":[1],"model":"x","messages":[2]}', 'messages'],
    ['further down', '{"messages":[{"a":1},{"role":"user","content":{},"role":"tool"}]}', 'messages[1].role'],
    ['in two spellings', '{"a":{"b":1,"\\u0062":2}}', 'a.b'],
    ['in an array of arrays', '[[{},{"x":1}],[{"y":[],"y":[]}]]', '[1][0].y'],
    ['a name that programs treat specially', '{"__proto__":1,"__proto__":{"b":2}}', '__proto__'],
    ['with white space and brackets around', '{ "a]" :1 ,"{":["\\"","]"], "a]"\n:2}', 'a]'],
    ['in a path that is too long to show', `{"${'n'.repeat(300)}":1,"${'n'.repeat(300)}":2}`, null],
  ])('is refused %s, and its place is named', async (_name, body, param) => {
    const message = 'The body has an object with the same name twice.';
    expect(await sendAndRead(body)).toEqual({ ok: false, fault: { kind: 'invalid', message, param } });
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,\\"a\\":2","b:":":::"}',
    '{"__proto__":{"__proto__":1},"constructor":1,"toString":2,"":3}',
    '{"a":1,"A":2,"\u0061\u0301":3,"\u00e1":4}',
    '[1,"a:",{},[]]',
  ])('is not found in %s', async (body) => {
    expect(await sendAndRead(body)).toEqual({ ok: true, value: JSON.parse(body) });
  });
});

describe('D-134: members and items of a body', () => {
  const names = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`;
  const items = (count: number) => `[${Array.from({ length: count }, () => '0').join()}]`;
  const pairs = (count: number) => `[${Array.from({ length: count }, () => '[]').join()}]`;
  const deep = (count: number) => `[${Array.from({ length: count / 10 }, () => nested(9)).join()}]`;
  const broken = (count: number) => `${items(count)}]`;

  it.each<[string, (count: number) => string, number, number]>([
    ['members', names, 50, 51],
    ['items', items, 50, 51],
    ['empty arrays, which count as two', pairs, 25, 26],
    ['arrays in arrays', deep, 50, 60],
  ])('%s: accepts the maximum and refuses one more', async (_name, write, most, tooMany) => {
    readJson = createJsonReader({ ...ample, jsonValuesMax: 50 });
    expect(await sendAndRead(write(most))).toMatchObject({ ok: true });
    const refused = await sendAndRead(write(tooMany));
    expect(refused).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
    expect(JSON.stringify(refused)).toMatch(/members and items; send at most 50/);
  });

  it('are counted before the body is parsed, and outside strings', async () => {
    readJson = createJsonReader({ ...ample, jsonValuesMax: 50 });
    expect(JSON.stringify(await sendAndRead(broken(51)))).toMatch(/send at most 50/);
    expect(JSON.stringify(await sendAndRead(broken(50)))).toMatch(/not valid JSON/);
    expect(await sendAndRead(JSON.stringify({ a: '[[,:,]]"'.repeat(30) }))).toMatchObject({ ok: true });
  });
});

describe('D-408: a body whose names may be indexes', () => {
  /** A response that never closes keeps its body. */
  const hold = (site: string, text: string) => {
    const request = Object.assign(Readable.from([Buffer.from(text)]), { headers: {}, socket: new Socket() });
    return reader(request as unknown as IncomingMessage, new EventEmitter() as ServerResponse, site);
  };
  let reader: typeof readJson;

  it.each([
    ['"ab"', true],
    ['"34"', false],
    ['"\\u0033\\u0034"', false],
  ])('counts more for it, because it takes more memory: %s', async (name, fits) => {
    reader = createJsonReader({ ...ample, bodyBytesMax: 100_000, jsonValuesMax: 100_000 });
    const text = `[${Array.from({ length: 3_000 }, () => `{${name}:0}`).join()}]`;
    expect(await hold('one', text)).toMatchObject({ ok: true });
    const second = await hold('one', text);
    expect(second.ok || second.fault.kind).toBe(fits || 'crowded-out');
  });
});

describe('D-14: the bytes of a body', () => {
  const exactly = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
  const tooLarge = { ok: false, fault: { kind: 'too-large', bodyBytesMax: 1_000 } };

  it('are accepted up to the limit, with or without Content-Length', async () => {
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }] as Record<string, string>[]) {
      expect(await sendAndRead(exactly(1_000), headers)).toMatchObject({ ok: true });
      expect(await sendAndRead(exactly(1_001), headers)).toEqual(tooLarge);
    }
  });

  it('are refused by their Content-Length before any of them arrived', async () => {
    const { socket, read: reading } = await sendRaw(`${head}Content-Length: 99999999\r\n\r\n`);
    expect(await reading).toEqual(tooLarge);
    socket.destroy();
  });
});

describe('A body that does not arrive', () => {
  it('is given up after its time', async () => {
    readJson = createJsonReader({ ...ample, bodyTimeoutMs: 150 });
    const { socket, read: reading } = await sendRaw(`${head}Content-Length: 10\r\n\r\n{`);
    expect(await reading).toEqual({ ok: false, fault: { kind: 'too-slow', bodyTimeoutMs: 150 } });
    socket.destroy();
  });

  it('is told apart from a slow one when the client left', async () => {
    const { socket, read: reading } = await sendRaw(`${head}Content-Length: 10\r\n\r\n{`);
    socket.destroy();
    expect(await reading).toEqual({ ok: false, fault: { kind: 'client-left' } });
  });
});
