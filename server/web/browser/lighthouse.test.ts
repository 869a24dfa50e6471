import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../testing/free-port.ts';
import type { TestGateway } from '../../testing/gateway.ts';
import { installPinned } from '../../testing/install-pinned.ts';
import { programEnvironment } from '../../testing/program-environment.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';

const lighthouse = join(import.meta.dirname, '../lighthouse');
const categories = ['performance', 'accessibility', 'best-practices'] as const;
/** The measurements behind the performance, for a person who looks for the reason. */
const metrics = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
] as const;

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  installPinned(lighthouse, console.log);
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-lighthouse-'));
  gateway = await startWebGateway();
}, 300_000);

afterAll(async () => {
  await gateway?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

it.each(['/', '/docs', '/try', '/explorer'])(
  'Lighthouse gives %s at least 95 in each category',
  async (path) => {
    // Chromium compresses nothing itself, so the first request of each file would measure the compressor.
    await fetch(gateway.url + path, { headers: { Accept: 'text/html' } });
    // A browser of its own, because Lighthouse cannot always trace a second load in the same one.
    const port = await findFreePort();
    const browser = await startBrowser([`--remote-debugging-port=${port}`]);
    const report = join(folder, 'report.json');
    try {
      await promisify(execFile)(
        process.execPath,
        [
          join(lighthouse, 'node_modules/lighthouse/cli/index.js'),
          ...[gateway.url + path, `--port=${port}`, '--output=json', `--output-path=${report}`, '--quiet'],
          ...[`--only-categories=${categories.join(',')}`, '--enable-error-reporting=false'],
        ],
        { env: { ...programEnvironment }, timeout: 120_000, maxBuffer: 64 * 1_048_576 },
      );
    } finally {
      await browser.close();
    }
    const { categories: found, audits } = JSON.parse(readFileSync(report, 'utf8'));
    const scores = Object.fromEntries(categories.map((name) => [name, Math.round(found[name].score * 100)]));
    const measured = metrics.map((name) => `${name}: ${audits[name].displayValue}`);
    const failed = Object.keys(audits).filter(
      (id) => audits[id].scoreDisplayMode === 'binary' && audits[id].score === 0,
    );
    console.log(path, scores, [...measured, ...failed].join(', '));
    for (const name of categories) expect(scores[name], name).toBeGreaterThanOrEqual(95);
  },
  180_000,
);
