import { messageOf } from "#contract/lib/message-of.ts";

/** An error that the user has to fix. Only its message is printed: it says what is wrong and what to do. */
export class Problem extends Error {
  override readonly name = "Problem";
}

/** What is printed about an error: the message of a problem, and the stack of any other error. */
export function reportOf(error: unknown): string {
  if (error instanceof Problem || !(error instanceof Error)) return messageOf(error);
  return error.stack ?? error.message;
}
