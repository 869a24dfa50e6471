import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { attestation } from './attestation.ts';
import { environmentSettings } from './environment.ts';
import { publicSettings } from './public-settings.ts';
import { advancedSettings, configSchema } from './schema.ts';
import { settingsTable, whenToChange } from './table.ts';

const page = readFileSync(new URL('../SETTINGS.md', import.meta.url), 'utf8');

it('SETTINGS.md shows every setting as `npm start -- --settings` prints it', () => {
  expect(page).toContain(settingsTable());
});

it('SETTINGS.md shows the default of each part of attestation', () => {
  for (const [part, value] of Object.entries(attestation.parse({}))) {
    expect(page, part).toContain(`\`${part}\``);
    expect(page, part).toContain(String(value));
  }
});

it('At most 17 settings are public, and only they have a variable (D-190, D-300, D-370)', () => {
  const names = Object.keys(publicSettings);
  expect(names.length).toBeLessThanOrEqual(17);
  const withVariable = new Set(Object.values(environmentSettings).map(({ path }) => path[0]));
  expect([...withVariable].sort()).toEqual([...names].sort());
});

it('Every setting is public or advanced, and has a description', () => {
  expect([...Object.keys(publicSettings), ...Object.keys(advancedSettings)]).toEqual(
    Object.keys(configSchema.shape),
  );
  for (const [name, field] of Object.entries(configSchema.shape))
    expect(field.description, name).toBeTruthy();
});

it('Every advanced setting has advice when to change it, in at most 25 words; a public one has none (D-190)', () => {
  for (const [name, field] of Object.entries(advancedSettings)) {
    const sentence = whenToChange(field);
    expect(sentence, name).toMatch(/^(Raise|Lower|Set) .*[^ ]\.$/);
    expect(sentence.split(' ').length, name).toBeLessThanOrEqual(25);
  }
  for (const [name, field] of Object.entries(publicSettings)) expect(whenToChange(field), name).toBe('');
});

it('The public table has the variable, the advanced one the advice', () => {
  const [first = '', second = ''] = settingsTable().split('\n\n## Advanced\n\n');
  expect(first).toMatch(/^\| setting \| variable \| default \| what it is \|$/m);
  expect(first).toContain('| `feeGweiMax` | `FEE_GWEI_MAX` | `50` |');
  expect(first).not.toContain('bodyBytesMax');
  expect(second).toMatch(/^\| setting \| default \| what it is \| when to change it \|$/m);
  expect(second).toMatch(/^\| `inferenceTimeoutMs` \| `60000` \| .* \| Raise it for slower models\./m);
  expect(second).not.toContain('`port`');
});
