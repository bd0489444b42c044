import { DeploymentId, ProjectId, TokenId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Result } from "#cli/outcome.ts";
import { connect } from "#action/installation.ts";
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
  const known = DeploymentId.safeParse(runner.state("deployment"));
  const actor = TokenId.safeParse(runner.state("actor"));
  if (!known.success && !actor.success) {
    const text = "The job ended before the start of the deployment was answered. It may have started.";
    runner.annotate("warning", text);
    return succeed(true);
  }
  const ids: DeploymentId[] = known.success ? [known.data] : [];
  if (!known.success && actor.success) {
    const since = Date.parse(runner.state("since") ?? "");
    const started = await findStarted(client, project.data, { actor: actor.data, since });
    if (!started.ok) return started;
    ids.push(...started.value.map(({ id }) => id));
  }
  for (const id of ids) {
    const canceled = await cancel(client, id);
    if (!canceled.ok) return canceled;
    runner.line(canceled.value);
  }
  return succeed(true);
}

runPart(cancelStarted);
