/**
 * Options that follow `npm run <script>` without `--`. npm takes them as its own and passes them on as
 * variables, without their values. So the gateway never uses them and reports an error.
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

/** The error text. The caller appends the right command. */
export function missingDashes(options: readonly string[]): string {
  return `npm kept ${options.join(' and ')} for itself. Put -- before the options`;
}
