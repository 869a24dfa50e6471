import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { endOnSignals, exitCode, readOptions } from '../testing/command.ts';
import { renderCharts } from './chart.ts';
import { watchForeignLoad } from './measure/processor.ts';
import { renderMarkdown } from './render.ts';
import type { BenchOptions, Report, Section } from './section.ts';
import { cpu } from './sections/cpu.ts';
import { growth } from './sections/growth.ts';
import { memory } from './sections/memory.ts';
import { paid } from './sections/paid.ts';
import { settlement } from './sections/settlement.ts';
import { signatures } from './sections/signatures.ts';
import { soak } from './sections/soak.ts';
import { streams } from './sections/streams.ts';
import { unpaid } from './sections/unpaid.ts';
import { upstream } from './sections/upstream.ts';
import { webPage } from './sections/web-page.ts';

/** In the order of a run. Section g uses the figures of the soak, so it comes last. */
const sections: readonly Section[] = [
  unpaid,
  webPage,
  paid,
  upstream,
  signatures,
  settlement,
  growth,
  cpu,
  streams,
  soak,
  memory,
];

const help = `Usage: npm run bench -- [options]

Compares the gateway with its peers on this machine. Rounds are interleaved, figures are medians with their
range, and every goal is a ratio within one run.

  --only a,b     run these sections
  --quick        rough figures, at most two minutes for each section
  --out FOLDER   where to write bench.md, bench.json and bench.svg (default: bench-results)
  --help         show this text

Sections:
${sections.map(({ id, title }) => `  ${id}  ${title}`).join('\n')}`;

/** Average of foreign cores above which the figures are in doubt. */
const foreignCoresMax = 0.1;

endOnSignals();

const values = readOptions({
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
  out: { type: 'string', default: 'bench-results' },
  help: { type: 'boolean', default: false },
});

if (values.help) console.log(help);
else await runAll();

async function runAll(): Promise<void> {
  const wanted = values.only?.split(',') ?? sections.map(({ id }) => id);
  const unknown = wanted.filter((id) => !sections.some((section) => section.id === id));
  if (unknown.length > 0) {
    console.error(`There is no section ${unknown.join(', ')}. Use --help to list the sections.`);
    process.exitCode = exitCode.usage;
    return;
  }
  const options: BenchOptions = {
    quick: values.quick,
    ...(values.quick ? { rounds: 2, seconds: 1 } : { rounds: 5, seconds: 5 }),
    say: (line) => console.error(line),
  };
  const reports: Report[] = [];
  const foreign: Record<string, number | null> = {};
  let markdown = '';
  for (const section of sections.filter(({ id }) => wanted.includes(id))) {
    console.error(`${section.id}. ${section.title}`);
    const watch = watchForeignLoad();
    reports.push(await section.run(options));
    foreign[section.id] = watch.read();
    // After each section, because a later one may fail.
    markdown = write(reports, foreign);
  }
  console.log(markdown);
}

/** Writes the files, and returns the markdown. */
function write(reports: readonly Report[], foreign: Readonly<Record<string, number | null>>): string {
  const folder = resolve(values.out);
  mkdirSync(folder, { recursive: true });
  const markdown = `${renderMarkdown(reports)}\n${describeMachine(foreign)}\n`;
  const machine = { cores: cpus().length, processor: cpus()[0]?.model ?? '', node: process.version };
  writeFileSync(`${folder}/bench.md`, markdown);
  writeFileSync(`${folder}/bench.json`, `${JSON.stringify({ machine, foreign, reports }, null, 2)}\n`);
  writeFileSync(`${folder}/bench.svg`, renderCharts(reports));
  return markdown;
}

/** A sentence on the machine, and one on the load of other programs. */
function describeMachine(foreign: Readonly<Record<string, number | null>>): string {
  const machine = `Measured on ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}) with Node ${process.version}.`;
  const busy = Object.entries(foreign).filter(([, cores]) => cores !== null && cores > foreignCoresMax);
  if (Object.values(foreign).includes(null)) return `${machine} The load of other programs is unknown here.`;
  if (busy.length === 0) return `${machine} Other programs used less than ${foreignCoresMax} cores.`;
  const named = busy.map(([id, cores]) => `${cores?.toFixed(2)} cores in section ${id}`).join(', ');
  return `${machine} Other programs used ${named}. Repeat the run on a quiet machine.`;
}
