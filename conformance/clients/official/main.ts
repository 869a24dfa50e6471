import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientReport } from '../report.ts';
import { chooseClients, installClients, installedFolder, mergeResults } from './clients.ts';
import { type PublishedVerdict, publishedVerdicts } from './verdicts.ts';

// Installs published clients outside of the workspace, judges them, and writes verdicts.json for CLIENTS.md.
// `--only <text>` chooses clients by their names.

const folder = fileURLToPath(new URL('.', import.meta.url));
const cli = fileURLToPath(new URL('../../cli.ts', import.meta.url));

const clients = chooseClients();
installClients(clients);
const verdicts: PublishedVerdict[] = [];
for (const { name: client, command } of clients) {
  const report = await judge(command);
  if (report === undefined) {
    console.log(`${client}: skipped, because it cannot start`);
    continue;
  }
  const list = (outcome: string) =>
    report.results.filter((each) => each.outcome === outcome).map(({ id }) => id);
  const [failed, warned] = [list('fail'), list('warn')];
  const [open, unstreamed] = [list('inconclusive'), list('not-applicable')];
  verdicts.push({ client, must: report.must, failed, warned, open, unstreamed });
  console.log(`${client}: ${report.must.verified} of ${report.must.total} MUST`);
}
const published = mergeResults(publishedVerdicts, verdicts);
writeFileSync(join(folder, 'verdicts.json'), `${JSON.stringify(published, null, 2)}\n`);
spawnSync('biome', ['format', '--write', 'verdicts.json'], { cwd: folder, stdio: 'inherit' });

/** The report of a client; undefined if its command cannot start. */
function judge(command: readonly string[]): Promise<ClientReport | undefined> {
  const args = [cli, 'client', '--json', '--silence-seconds', '2', '--', ...command];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: installedFolder, maxBuffer: 16_000_000 }, (_, stdout) =>
      resolve(stdout === '' ? undefined : JSON.parse(stdout)),
    );
  });
}
