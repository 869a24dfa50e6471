export type LogFormat = 'json' | 'pretty';

/** The form of the log lines. */
export type LogStyle = { readonly format: LogFormat; readonly hasColours: boolean };

/**
 * Chooses pretty lines on a terminal and JSON elsewhere, unless `LOG_FORMAT` is set. Only a terminal gets
 * colours.
 */
export function chooseLogStyle(
  asked: LogFormat | null,
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): LogStyle {
  const format = asked ?? (isTerminal ? 'pretty' : 'json');
  return { format, hasColours: format === 'pretty' && isTerminal && !environment['NO_COLOR'] };
}
