import { environmentSettings } from './environment.ts';
import { configSchema } from './schema.ts';

/** Every setting as a Markdown table: what `npm start -- --settings` prints and SETTINGS.md shows. */
export function settingsTable(): string {
  const defaults = configSchema.parse({}) as Readonly<Record<string, unknown>>;
  const rows = Object.entries(configSchema.shape).map(([name, field]) => {
    const value = defaults[name] === undefined ? '' : `\`${JSON.stringify(defaults[name])}\``;
    return `| \`${name}\` | ${variables(name)} | ${value} | ${field.description ?? ''} |`;
  });
  return ['| setting | variable | default | what it is |', '|---|---|---|---|', ...rows].join('\n');
}

function variables(setting: string): string {
  return Object.entries(environmentSettings)
    .filter(([, { path }]) => path[0] === setting)
    .map(([name]) => `\`${name}\``)
    .join(', ');
}
