import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseClients, installClients, installedFolder, mergeResults } from './clients.ts';
import { openFaultTrial } from './fault-trial.ts';
import { faultCases, type PublishedFaults, publishedFaults } from './faults.ts';

// Installs published clients outside of the workspace, buys with each of them from a gateway through a proxy with
// faults, and writes faults.json for CLIENTS.md. `--only <text>` chooses clients by their names.

const clients = chooseClients();
installClients(clients);
const measured: PublishedFaults[] = [];
const trial = await openFaultTrial(installedFolder);
try {
  for (const client of clients) {
    const cases = await trial.run(client, faultCases);
    const dialects = [...new Set(Object.values(cases).flatMap(({ dialects: sent }) => sent))];
    if (dialects.length === 0) {
      console.log(`${client.name}: skipped, because it cannot start`);
      continue;
    }
    const cells = Object.fromEntries(
      Object.entries(cases).map(([name, { payments, completions }]) => [name, `${payments}, ${completions}`]),
    );
    measured.push({ client: client.name, dialect: dialects.join(' and '), cells });
    const other = Object.entries(cells).filter(([, cell]) => cell !== '1, 1');
    console.log(`${client.name}: ${other.map(([name, cell]) => `${name} ${cell}`).join('; ') || 'all 1, 1'}`);
  }
} finally {
  await trial.close();
}
const published = mergeResults(publishedFaults, measured);
writeFileSync(join(import.meta.dirname, 'faults.json'), `${JSON.stringify(published, null, 2)}\n`);
spawnSync('biome', ['format', '--write', 'faults.json'], { cwd: import.meta.dirname, stdio: 'inherit' });
