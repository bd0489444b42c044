import { hasSucceeded } from "#agent/process/command.ts";
import { type CommandEnd, describeEnd, evidenceOf, isDiskFull } from "#agent/run/step/run-command.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import type { StageLimit } from "#agent/run/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/run/step/step.ts";
import { succeed } from "#contract/lib/result.ts";

/** Turns the end of a build or activate command into a step's result. */
export async function stepAfterCommand(
  { context }: RunScope,
  stage: "build" | "activate",
  ran: CommandEnd,
  limit: StageLimit,
): Promise<Step<null>> {
  if (hasSucceeded(ran.end)) return succeed(null);
  if (ran.end.kind === "stopped") {
    if (!limit.hasTimedOut) return interrupted;
    const message = `the ${stage} command took longer than ${limit.seconds} seconds`;
    return fail("timed_out", stage, message, evidenceOf(ran));
  }
  const message = `the ${stage} command ${describeEnd(ran.end)}`;
  return (await isDiskFull(context.home, ran.stderrTail))
    ? fail("disk_full", stage, `the disk is full: ${message}`, evidenceOf(ran))
    : fail(`${stage}_failed`, stage, message, evidenceOf(ran));
}
