import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { seededRandom } from '../testing/seeded-random.ts';
import { useListening } from '../testing/use-listening.ts';

const { serve, client } = useListening();
const seed = randomInt(1, 1_000_000);
const connections = 600;
const atOnce = 30;
const requestsOfEach = 20;

it(`answers each pipelined request with the length of its body, however its bytes arrive, seed ${seed} (D-409)`, async () => {
  const url = await serve((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end(request.url === '/last' ? 'last' : `<${bytes}>`));
  });
  const send = async (random: () => number) => {
    const below = (most: number) => Math.floor(random() * most);
    const lengths = Array.from({ length: requestsOfEach }, () =>
      below([300, 3_000, 3_000, 30_000][below(4)] ?? 0),
    );
    const bytes = Buffer.from(lengths.map((length) => formatRequest(length, below(2) === 0)).join(''));
    const { socket, write, readUntil } = await client(url);
    socket.setNoDelay(true);
    const pieceMax = [1_500, 3_000, 20_000][below(3)] ?? 0;
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + below(pieceMax);
      write(bytes.subarray(at, end));
      at = end;
      if (below(2) === 0) await nextTurn();
    }
    write('GET /last HTTP/1.1\r\nHost: x\r\n\r\n');
    const received = await readUntil('last');
    socket.destroy();
    return { lengths, received };
  };
  const random = seededRandom(seed);
  for (let done = 0; done < connections; done += atOnce) {
    const sent = await Promise.all(
      Array.from({ length: atOnce }, () => send(seededRandom(random() * 2 ** 32))),
    );
    for (const { lengths, received } of sent)
      expect([...received.matchAll(/<(\d+)>/g)].map(([, length]) => Number(length))).toEqual(lengths);
  }
});

function formatRequest(length: number, isChunked: boolean): string {
  const body = 'x'.repeat(length);
  const head = 'POST /x HTTP/1.1\r\nHost: x\r\n';
  if (!isChunked) return `${head}Content-Length: ${length}\r\n\r\n${body}`;
  const chunks = body.match(/.{1,1000}/g) ?? [];
  const parts = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return `${head}Transfer-Encoding: chunked\r\n\r\n${parts.join('')}0\r\n\r\n`;
}
