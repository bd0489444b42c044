import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import type { EndedInstance, Readiness } from "#agent/apps/await-instance.ts";
import { endOf } from "#agent/apps/describe-exit.ts";
import { readLogEnd } from "#agent/apps/read-log-end.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import type { Rollout } from "#agent/apps/rollout.ts";
import { containerHint } from "#agent/run/start/container-hint.ts";
import { elsewhereText, instanceListeners } from "#agent/run/start/instance-listeners.ts";
import { answerHint } from "#agent/run/answer-hint.ts";
import { answerEvidence, describeTry } from "#agent/lib/http/check-health.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import type { StageLimit } from "#agent/step/stage-limit.ts";
import { releasePath } from "#agent/workspace/releases.ts";
import { describeEnd, evidenceOf, plainOutput } from "#build/failure/command-failure.ts";
import { memoryHint } from "#build/failure/failure-hint.ts";
import { moduleHint } from "#build/failure/module-hint.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import { ENDED_WITHOUT_ERROR, portHint, startHint } from "#build/failure/start-hint.ts";
import { type DeploymentFailure, MAX_STDERR_TAIL } from "#contract/endpoints/deployments/schemas.ts";
import { failingLine } from "#contract/first-error.ts";
import { counted } from "#contract/lib/counted.ts";

/** Ruby prints an error before its backtrace, which can be longer than the evidence. */
const SEARCHED_BYTES = 64 * 1024;

/** The failure of a new instance that ended by itself. */
export async function endedFailure(
  scope: RunScope,
  stage: "start" | "verify",
  { plan }: Pick<Rollout, "plan">,
  { name, exit }: EndedInstance,
): Promise<DeploymentFailure> {
  const limitMb = plan.started.find((one) => one.name === name)?.process.limits.memory_mb ?? null;
  const end = endOf(exit, limitMb);
  const output = await lastOutput(scope, name);
  const plain = plainOutput(await lastOutput(scope, name, SEARCHED_BYTES));
  const release = releasePath(scope.folder, scope.order.version);
  const place = { release, folder: join(release, scope.order.root_directory) };
  const hint = memoryHint(end) ?? (await moduleHint(plain, place)) ?? startHint(plain) ?? endHint(exit);
  const evidence = evidenceOf({ end, stderrTail: output, outputTail: output });
  const failure = makeFailure("start_failed", stage, `${name} ${describeEnd(end)}`, evidence, hint);
  const line = failingLine(plain);
  return line === null ? failure : { ...failure, failing_line: line };
}

function endHint(exit: EndedInstance["exit"]): string | null {
  return exit?.code === 0 ? ENDED_WITHOUT_ERROR : null;
}

/** The failure of a new instance that runs, but cannot get requests. */
export async function notReadyFailure(
  scope: RunScope,
  { name, port, inside }: InstanceNote,
  readiness: Exclude<Readiness, { kind: "ready" }>,
  { seconds }: StageLimit,
): Promise<DeploymentFailure> {
  const output = await lastOutput(scope, name);
  const tail = { stderr_tail: output };
  switch (readiness.kind) {
    case "failed":
      return makeFailure("start_failed", "start", `${name} cannot be checked: ${readiness.reason}`, tail);
    case "not_listening": {
      const what = readiness.isPortTaken
        ? `another program listens on the port ${port} of ${name}`
        : `${name} did not listen on port ${inside ?? port} ${inside === undefined ? "" : "of its container "}within ${counted(seconds, "second")}`;
      const hint = readiness.isPortTaken
        ? null
        : inside === undefined
          ? await plainPortHint(scope, name, port ?? 0, output)
          : containerHint(inside, await listenersOf(scope, name));
      return makeFailure("timed_out", "start", what, tail, hint);
    }
    case "unhealthy": {
      const { best, tries } = readiness;
      const { path, status } = scope.order.health_check ?? {};
      const message = `${name} did not answer ${status} to ${path} in ${tries} tries: ${describeTry(best)}`;
      if (best.kind !== "answered")
        return makeFailure("health_check_failed", "start", message, { health_status: null, ...tail });
      const evidence = { ...answerEvidence(best, scope.mask), ...tail };
      const hint = answerHint(best, scope.order.domain, output);
      return makeFailure("health_check_failed", "start", message, evidence, hint);
    }
  }
}

/** Says where the instance listens, if it does; otherwise what its output says about a port. */
async function plainPortHint(scope: RunScope, name: string, port: number, output: string): Promise<string> {
  const listeners = await instanceListeners(scope, name);
  if (listeners.length === 0) return portHint(stripVTControlCharacters(output), port);
  return `The app does not use the port that it gets: ${elsewhereText(port, listeners)}.`;
}

async function listenersOf({ context, folder }: RunScope, name: string) {
  const found = await context.supervisor.listenersInside(folder.id, name);
  return found.ok ? found.value : [];
}

/** The last lines that an instance printed, masked. */
async function lastOutput(
  { folder, mask }: RunScope,
  name: string,
  maxBytes = MAX_STDERR_TAIL,
): Promise<string> {
  return mask(await readLogEnd(folder, name, maxBytes));
}
