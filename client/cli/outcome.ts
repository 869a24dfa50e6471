/** How a command ends: documented in `--help`, and what a script branches on. */
export const exitCodes = {
  done: 0,
  /** By a spending rule, or by the gateway; or what was to be verified is not so. */
  refused: 1,
  usage: 2,
  /** No answer, or none that says whether money moved, or whether what was to be verified is so. */
  unknown: 3,
  /** A fault of ours: nothing was found out, and nothing is said to be false. */
  ours: 4,
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
