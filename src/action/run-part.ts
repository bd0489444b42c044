import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

import { messageOf } from "#contract/lib/message-of.ts";
import type { Result } from "#cli/outcome.ts";
import { Runner } from "#action/runner.ts";

/** As for the command: Node's default is less than a round trip around the world. */
const ADDRESS_MS = 2_500;

/**
 * Runs a part of the step in this process. The process exits with 1 if the value is false or after a problem.
 * @param part its signal is aborted when the job is canceled: the runner sends SIGINT, SIGTERM 7.5 s later, and ends the
 * process 2.5 s after that
 */
export function runPart(part: (runner: Runner, signal: AbortSignal) => Promise<Result<boolean>>): void {
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);
  const canceled = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => canceled.abort());
  const runner = new Runner(process.env, (line) => process.stdout.write(`${line}\n`));
  // The callback runs after all earlier output is written.
  const end = (code: number) => process.stdout.write("", () => process.exit(code));
  part(runner, canceled.signal).then(
    (result) => {
      if (!result.ok) runner.annotate("error", result.problem.detail);
      end(result.ok && result.value ? 0 : 1);
    },
    (error: unknown) => {
      runner.annotate("error", messageOf(error));
      end(1);
    },
  );
}
