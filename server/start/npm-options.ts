/**
 * Options that were typed behind `npm run <script>` without `--`: npm keeps those for itself, and hands them on as
 * variables alone. They are never obeyed, since npm has thrown away their values.
 */
export function keptByNpm(
  names: readonly string[],
  script: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (environment['npm_lifecycle_event'] !== script) return [];
  return names
    .filter((name) => environment[`npm_config_${name.replaceAll('-', '_')}`])
    .map((name) => `--${name}`)
    .filter((option) => !process.argv.some((given) => given.split('=')[0] === option));
}

/** The fault, to be followed by what to type. */
export function missingDashes(options: readonly string[]): string {
  return `npm kept ${options.join(' and ')} for itself. Put -- before the options`;
}
