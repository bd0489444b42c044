import type { GitAnswer } from "#agent/git/mirror/git-runner.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { type FileLimit, readDataFile } from "#build/tree/read-data-file.ts";
import { succeed } from "#contract/lib/result.ts";

const LIMIT: FileLimit = { bytes: 512 * 1024, text: "512 KiB", hint: "Check that it is the right file." };

/**
 * Checks that a configuration file of git in a commit is a text, before git reads it. @param into the commit's files
 * @returns whether the file exists
 */
export async function checkGitFile(into: string, name: string): Promise<Step<boolean>> {
  const read = await readDataFile(into, name, name, LIMIT);
  if (read.ok) return succeed(read.value !== null);
  return fail("fetch_failed", "fetch", read.problem.message, undefined, read.problem.hint);
}

/** Whether git found a mistake in a configuration file. It may print what is before the mistake, and exit with 0. */
export function isWrongConfig({ ran }: GitAnswer): boolean {
  return /^(?:error|fatal): bad config /m.test(ran.stderrTail);
}
