/** The exit codes of a command, which `--help` documents for scripts. */
export const exitCodes = {
  done: 0,
  /** A spending rule or the gateway refused, or a step of the verification is false. */
  refused: 1,
  usage: 2,
  /** No response, or unknown whether money moved, or a step of the verification is unknown. */
  unknown: 3,
  /** An internal error: it proves nothing about the purchase. */
  ours: 4,
} as const;

/** The result of a command: one object with `--json`, text for a person without it. */
export type CommandOutcome = {
  /** One of `exitCodes`; `proxy` ends with the exit code of its command. */
  readonly exitCode: number;
  /** For standard output with `--json`. */
  readonly json: object;
  /** For standard output without it. */
  readonly text?: string;
  /** For standard error without it: a remark about the text. */
  readonly note?: string;
  /** One line for standard error: the error and what to do. */
  readonly fault?: string;
};

export function usageFault(message: string): CommandOutcome {
  return { exitCode: exitCodes.usage, json: { kind: 'usage', message }, fault: message };
}
