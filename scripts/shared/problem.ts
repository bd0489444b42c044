import { messageOf } from "#contract/lib/message-of.ts";

/** An error that the user has to fix. Only its message is printed, which says what happened and what to do. */
export class Problem extends Error {
  override readonly name = "Problem";
}

/** The printed text of an error: the message of a problem, and the stack of any other error. */
export function reportOf(error: unknown): string {
  if (error instanceof Problem || !(error instanceof Error)) return messageOf(error);
  return error.stack ?? error.message;
}
