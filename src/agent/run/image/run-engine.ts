import { inspectCommand } from "#agent/containers/build-script.ts";
import { type EnginePlace, enginePlace } from "#agent/containers/engine-script.ts";
import { readImage } from "#agent/containers/read-image.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { type CapturedEnd, runCommand } from "#agent/step/run-command.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import type { StageLimit } from "#agent/step/stage-limit.ts";
import { fail, failWith, interrupted, type Step } from "#agent/step/step.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import { commandFailure, timeoutFailure } from "#build/failure/command-failure.ts";
import { type Command, hasSucceeded } from "#build/process/command.ts";
import { succeed } from "#contract/lib/result.ts";
import { sizeText } from "#contract/lib/size-text.ts";

/** The places of the commands in the names of their units, beside the places of other build commands. */
const units = { build: 2, tag: 3, inspect: 4, tidy: 5, save: 6, load: 7, pull: 8 } as const;

/** What the scripts of the engine need of a run. */
export const placeOfRun = ({ context, folder }: RunScope): EnginePlace => enginePlace(context, folder);

/**
 * Runs a command of the engine. The output of a build goes to the log, and others are captured.
 * @param version of a release that is on this server, whose unit it is
 */
export function runEngine(
  scope: RunScope,
  command: Command,
  unit: keyof typeof units,
  signal: AbortSignal,
  version = scope.order.version,
): Promise<CapturedEnd> {
  const isBuild = unit === "build";
  return runCommand(scope, command, {
    stage: unit === "tidy" ? "prune" : unit === "pull" ? "fetch" : "build",
    signal,
    leftovers: "kill",
    stdout: isBuild ? "log" : "capture",
    isQuiet: !isBuild,
    unit: {
      kind: "build",
      version,
      number: units[unit],
      limits: unitLimits("build", scope.limits ?? {}, scope.context.policy),
    },
  });
}

/** Turns the end of a command of the engine into a step's result. */
export async function stepAfterEngine(
  { context }: RunScope,
  ran: CapturedEnd,
  limit: StageLimit,
): Promise<Step<null>> {
  if (hasSucceeded(ran.end)) return succeed(null);
  if (ran.end.kind === "stopped")
    return limit.hasTimedOut ? failWith(timeoutFailure("build", limit.seconds, ran)) : interrupted;
  return failWith(await commandFailure(context.home, "build", ran, null));
}

/** Reads what the image of the release is, once it has its name. */
export async function describeImage(
  scope: RunScope,
  limit: StageLimit,
): Promise<Step<Omit<ReleaseImage, "key" | "checked">>> {
  const { order, log } = scope;
  const ran = await runEngine(
    scope,
    inspectCommand(placeOfRun(scope), order.version),
    "inspect",
    limit.signal,
  );
  const inspected = await stepAfterEngine(scope, ran, limit);
  if (!inspected.ok) return inspected;
  const read = readImage(ran.stdout);
  if (!read.ok) return fail("build_failed", "build", read.reason);
  log.system("build", `the image ${read.value.id.slice(0, 12)} has ${sizeText(read.value.bytes)}`);
  return succeed({ ...read.value, shared_paths: [...order.shared_paths] });
}
