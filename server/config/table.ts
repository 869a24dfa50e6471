import { environmentSettings } from './environment.ts';
import { publicSettings } from './public-settings.ts';
import { advancedSettings, configSchema } from './schema.ts';

/** Formats every setting in two Markdown tables, for `npm start -- --settings` and SETTINGS.md. */
export function settingsTable(): string {
  const publicRows = Object.entries(publicSettings).map(([name, field]) => [
    `\`${name}\``,
    listVariables(name).join(', '),
    formatDefault(name),
    field.description ?? '',
  ]);
  const advancedRows = Object.entries(advancedSettings).map(([name, field]) => [
    `\`${name}\``,
    formatDefault(name),
    field.description ?? '',
    whenToChange(field),
  ]);
  return [
    ...table(['setting', 'variable', 'default', 'what it is'], publicRows),
    '',
    '## Advanced',
    '',
    ...table(['setting', 'default', 'what it is', 'when to change it'], advancedRows),
  ].join('\n');
}

/** The advice when to change an advanced setting; empty for a public one. */
export function whenToChange(field: { meta(): Readonly<Record<string, unknown>> | undefined }): string {
  return String(field.meta()?.['changeWhen'] ?? '');
}

const defaults = configSchema.parse({}) as Readonly<Record<string, unknown>>;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** For a group, shows the parts that have a variable. SETTINGS.md lists the others. */
function formatDefault(name: string): string {
  const value = defaults[name];
  if (value === undefined) return '';
  const parts = listParts(name);
  const shown =
    parts.length === 0
      ? value
      : Object.fromEntries(parts.map((part) => [part, Reflect.get(Object(value), part)]));
  return `\`${JSON.stringify(shown)}\``;
}

function listParts(name: string): readonly string[] {
  return Object.values(environmentSettings).flatMap(({ path }) => (path[0] === name ? path.slice(1) : []));
}

function listVariables(setting: string): string[] {
  return Object.entries(environmentSettings)
    .filter(([, { path }]) => path[0] === setting)
    .map(([name]) => `\`${name}\``);
}
