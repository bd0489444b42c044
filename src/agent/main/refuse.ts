import { stat } from "node:fs/promises";

import { exitCodes } from "#agent/main/exit-codes.ts";

/** Prints why the command cannot continue. @returns its exit code */
export function exitWith(message: string, exit: keyof typeof exitCodes = "give_up"): number {
  console.error(message);
  return exitCodes[exit];
}

/**
 * Whether the command runs as root in another user's home folder. Prints the refusal: that user's agent could not read
 * files that root writes.
 */
export async function isOtherUsersHome(home: string): Promise<boolean> {
  const owner = (await stat(home).catch(() => null))?.uid ?? 0;
  if (process.getuid?.() !== 0 || owner === 0) return false;
  console.error(`${home} belongs to user ID ${owner}, and you are root. Run this command as that user.`);
  return true;
}
