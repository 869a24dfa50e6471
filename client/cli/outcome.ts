/** How a command ends: documented in `--help`, and what a script branches on. */
export const exitCodes = {
  done: 0,
  /** By a spending rule, or by the gateway. */
  refused: 1,
  usage: 2,
  /** No answer, or none that says whether money moved. */
  unknown: 3,
} as const;

/** What a command leaves behind: one object with `--json`, text for a person without it. */
export type CommandOutcome = {
  readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes];
  /** For standard output with `--json`. */
  readonly json: object;
  /** For standard output without it. */
  readonly text?: string;
  /** For standard error without it: what a person should know about the text. */
  readonly note?: string;
  /** One line for standard error: what went wrong and the way out. */
  readonly fault?: string;
};

export function usageFault(message: string): CommandOutcome {
  return { exitCode: exitCodes.usage, json: { kind: 'usage', message }, fault: message };
}
