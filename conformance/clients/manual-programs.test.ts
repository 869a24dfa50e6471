import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../testing/run-cli.ts';
import type { ClientReport } from './report.ts';

const page = readFileSync(new URL('../../client/OTHER-LANGUAGES.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'conformance-manual-programs-'));
// The test uses no network: Go takes the module from its cache.
const environment = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
const limits = '"$CONFORMANCE_URL" "$CONFORMANCE_KEY_FILE" "$CONFORMANCE_TOKEN" "$CONFORMANCE_PAY_TO"';
/** Only a node of the chain shows these lies, and the programs ask none. */
const needsNode = ['notices.false-transaction', 'notices.old-receipt'];

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const noPython = succeeds('python3 -c "import eth_account"') ? '' : ' (skipped: python3 has no eth-account)';
test.skipIf(noPython !== '')(
  `The program in Python keeps the rules of a paying client${noPython}`,
  {
    timeout: 300_000,
  },
  async () => {
    const program = readProgram('python')
      .replace('"alder/alder-mini"', '__import__("os").environ["CONFORMANCE_MODEL"]')
      .replace('price_max = 100_000', 'price_max = int(__import__("os").environ["CONFORMANCE_PRICE_MAX"])');
    writeFileSync(join(folder, 'buy.py'), program);
    expect(await judge(`exec python3 buy.py ${limits}`)).toEqual(needsNode);
  },
);

const start = /^go mod init .*$/m.exec(page)?.[0] ?? 'false';
const noGo = succeeds(start) ? '' : ' (skipped: this machine has no go with go-ethereum in its cache)';
test.skipIf(noGo !== '')(
  `The program in Go keeps the rules of a paying client${noGo}`,
  {
    timeout: 300_000,
  },
  async () => {
    const program = readProgram('go')
      .replace('"model":"alder/alder-mini"', '"model":"` + os.Getenv("CONFORMANCE_MODEL") + `"')
      .replace('big.NewInt(priceMax)', 'new(big.Int).SetBytes(number(os.Getenv("CONFORMANCE_PRICE_MAX")))');
    writeFileSync(join(folder, 'buy.go'), program.replace(/^const priceMax.*\n/m, ''));
    expect(succeeds('go build -o buy .')).toBe(true);
    expect(await judge(`exec ./buy ${limits}`)).toEqual(needsNode);
  },
);

/** Returns the ids of the requirements that the command does not pass. */
async function judge(command: string): Promise<string[]> {
  const options = ['client', '--json', '--silence-seconds', '1', '--', 'sh', '-c', command];
  const { stdout } = await runCli(folder, options);
  const report: ClientReport = JSON.parse(stdout);
  const open = report.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable');
  return open.map(({ id }) => id).sort();
}

function readProgram(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (code === undefined) throw new Error(`OTHER-LANGUAGES.md has no program in ${language}`);
  return code;
}

function succeeds(command: string): boolean {
  return spawnSync('sh', ['-c', command], { cwd: folder, env: environment }).status === 0;
}
