import { DeploymentId, ProjectId, TokenId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Result } from "#cli/outcome.ts";
import { connect, type Installation } from "#action/installation.ts";
import { cancel, findStarted } from "#action/operations.ts";
import { runPart } from "#action/run-part.ts";
import type { Runner } from "#action/runner.ts";

/** The last part of the step: cancels a deployment that the main part has started and not seen to its end. */
async function cancelStarted(runner: Runner, signal: AbortSignal): Promise<Result<boolean>> {
  const project = ProjectId.safeParse(runner.state("project"));
  if (!project.success || runner.state("ended") !== null) return succeed(true);
  const connected = await connect(runner, signal);
  if (!connected.ok) return connected;
  const { client } = connected.value;
  const started = await findIds(runner, client, project.data);
  if (!started.ok) return started;
  for (const id of started.value) {
    const canceled = await cancel(client, id);
    if (!canceled.ok) return canceled;
    runner.line(canceled.value);
  }
  return succeed(true);
}

/** The deployments that the main part has started. If it did not get the answer to the start, they are found by its token. */
async function findIds(
  runner: Runner,
  client: Installation["client"],
  projectId: ProjectId,
): Promise<Result<DeploymentId[]>> {
  const known = DeploymentId.safeParse(runner.state("deployment"));
  if (known.success) return succeed([known.data]);
  const actor = TokenId.safeParse(runner.state("actor"));
  if (!actor.success) {
    const text = "The job ended before the start of the deployment was answered. It may have started.";
    runner.annotate("warning", text);
    return succeed([]);
  }
  const since = Date.parse(runner.state("since") ?? "");
  const started = await findStarted(client, projectId, { actor: actor.data, since });
  return started.ok ? succeed(started.value.map(({ id }) => id)) : started;
}

runPart(cancelStarted);
