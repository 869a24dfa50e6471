import { watched } from '../cli/watched.ts';

/** A separate process that records a signed payment and then ends abnormally. */
const [journalFile = '', way] = process.argv.slice(2);

process.exitCode = await watched(
  {
    targetUrl: 'http://127.0.0.1:1',
    profiles: ['paid'],
    filter: undefined,
    funded: { privateKey: '', caps: { perRequestUnits: 1n, totalUnits: 1n }, journalFile },
  },
  {
    usage: (text) => say(text, 2),
    suite: (error) => say(`fault: ${error instanceof Error ? error.message : error}`, 4),
  },
  async ({ funded, signal }) => {
    const parties = { from: '0x01', payTo: '0x02', asset: '0x03', resource: 'http://127.0.0.1:1/' };
    const row = {
      time: '',
      state: 'signing',
      requirement: 'none',
      value: '1234',
      validBefore: 1,
      nonce: '0xabc',
    } as const;
    funded?.journal.append({ ...row, ...parties });
    if (way === 'throws') throw new Error('thrown');
    if (way === 'throws elsewhere') setTimeout(() => fail('thrown elsewhere'), 0);
    if (way === 'rejects elsewhere') void Promise.reject(new Error('rejected elsewhere'));
    signal?.addEventListener('abort', () => process.stdout.write('heard\n'));
    process.stdout.write('signed\n');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
    return 0;
  },
);

function fail(text: string): never {
  throw new Error(text);
}

function say(text: string, exitCode: number): number {
  process.stderr.write(`${text}\n`);
  return exitCode;
}
