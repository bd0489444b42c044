import { messageOf } from "#contract/lib/message-of.ts";

/** Something that a person has to mend. Its message is all they see: it says what is wrong and what to do. */
export class Problem extends Error {
  override readonly name = "Problem";
}

/** What somebody is told of it at the end: a problem in its words, and of a bug all that is known. */
export function reportOf(error: unknown): string {
  if (error instanceof Problem || !(error instanceof Error)) return messageOf(error);
  return error.stack ?? error.message;
}
