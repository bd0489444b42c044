import type { CommandContext } from "#cli/context.ts";
import type { Outcome } from "#cli/outcome.ts";

/** The end of a command by a problem, unless the user has interrupted it: then the problem is only a consequence. */
export function interruptedOr({ signal }: Pick<CommandContext, "signal">, problem: Outcome): Outcome {
  return signal.aborted ? { ok: true, exit: "interrupted" } : problem;
}
