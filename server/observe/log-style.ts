export type LogFormat = 'json' | 'pretty';

/** How the lines of the log look. */
export type LogStyle = { readonly format: LogFormat; readonly hasColours: boolean };

/** Lines are pretty on a terminal and JSON elsewhere, unless `LOG_FORMAT` says otherwise. Only a terminal gets colours. */
export function chooseLogStyle(
  asked: LogFormat | null,
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): LogStyle {
  const format = asked ?? (isTerminal ? 'pretty' : 'json');
  return { format, hasColours: format === 'pretty' && isTerminal && !environment['NO_COLOR'] };
}
