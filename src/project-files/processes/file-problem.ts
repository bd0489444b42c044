import { withControlsShown } from "#contract/log-text.ts";
import type { Failure } from "#contract/lib/result.ts";

/** Why a file of a repository cannot be used. `hint`: what to do about it; null if the message says so. */
export type FileProblem = { readonly message: string; readonly hint: string | null };

/** A file of a repository that cannot be used. */
export type Unusable = Failure<{ readonly problem: FileProblem }>;

export function unusable(message: string, hint: string): Unusable {
  return { ok: false, problem: { message, hint } };
}

const MAX_SHOWN = 60;

/** A part of a file, for a message: on one line, not too long, and with its control characters shown. */
export function shown(text: string): string {
  const line = withControlsShown(text).replaceAll("\n", "\\n");
  return `\`${(line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line).toWellFormed()}\``;
}
