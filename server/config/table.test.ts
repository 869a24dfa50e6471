import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configSchema } from './schema.ts';
import { settingsTable } from './table.ts';

it('SETTINGS.md shows every setting as `npm start -- --settings` prints it', () => {
  const readme = readFileSync(new URL('../SETTINGS.md', import.meta.url), 'utf8');
  expect(readme).toContain(settingsTable());
});

it('every setting says what it is', () => {
  for (const [name, field] of Object.entries(configSchema.shape))
    expect(field.description, name).toBeTruthy();
});
