import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { definitions, metricsTable } from './definitions.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = read('../MONITORING.md');
const file = parse(read('alerts.yaml')) as {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
};
const alerts = file.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

describe('MONITORING.md', () => {
  it('has a paragraph with meaning and action for every alert, and for no other (D-304)', () => {
    const [, section = ''] = page.split('\n## Alerts\n');
    const paragraphs = [...section.matchAll(/^### (\w+)\n\n([\s\S]*?)(?=\n#|$(?![\s\S]))/gm)];
    expect(paragraphs.map(([, alert]) => alert)).toEqual(alerts);
    for (const [, alert, text = ''] of paragraphs)
      expect(text, alert).toMatch(/\*\*Meaning:\*\* .+[\s\S]*\*\*Action:\*\* .+/);
  });

  it('has the table of the metrics', () => {
    expect(page).toContain(metricsTable());
  });
});

describe('D-301: labels', () => {
  it('are few, and none has the name of a payer, an address of a client or a request', () => {
    const labels = new Set(
      Object.values(definitions).flatMap((definition): readonly string[] => definition.labels),
    );
    expect(labels.size).toBeLessThan(30);
    expect([...labels].filter((label) => /payer|client|nonce|request_id|path|ip/.test(label))).toEqual([]);
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe.runIf(hasPromtool)('promtool', () => {
  it('accepts the configuration of the page', () => {
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    expect(block).toContain('job_name: paid-inference-gateway');
    const place = mkdtempSync(join(tmpdir(), 'paid-inference-prometheus-'));
    cpSync(join(folder, 'alerts.yaml'), join(place, 'alerts.yaml'));
    writeFileSync(join(place, 'prometheus.yaml'), block);
    const said = execFileSync('promtool', ['check', 'config', 'prometheus.yaml'], {
      cwd: place,
      encoding: 'utf8',
    });
    rmSync(place, { recursive: true });
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it('accepts the rules', () => {
    const said = execFileSync('promtool', ['check', 'rules', 'alerts.yaml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it('finds that the alerts fire as their tests say', () => {
    const said = execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(said).toContain('SUCCESS');
  });
});
