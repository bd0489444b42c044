import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import { wrongImage } from "#cli/commands/image-option.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { follow } from "#action/follow.ts";
import { readInputs, withInputNames } from "#action/inputs.ts";
import { connect } from "#action/installation.ts";
import { cancel, findProject, mayRead, start } from "#action/operations.ts";
import { outcomeOf, reasonOf } from "#action/outcome.ts";
import { runPart } from "#action/run-part.ts";
import type { Runner } from "#action/runner.ts";
import { summaryText } from "#action/summary.ts";
import "#contract/issue-messages.ts";

/** Deploys and follows. The value: whether the step succeeds. */
async function deploy(runner: Runner, signal: AbortSignal): Promise<Result<boolean>> {
  const inputs = readInputs(runner);
  if (!inputs.ok) return inputs;
  const connected = await connect(runner, signal);
  if (!connected.ok) return connected;
  const installation = connected.value;
  const { client, url } = installation;
  const account = await client.getAccount();
  if (!account.ok) return account;
  const found = await findProject(client, account.value, inputs.value.project);
  if (!found.ok) return found;
  const projectId = found.value;
  const readProject = async (): Promise<Project | null> => {
    if (!mayRead(account.value, "getProject")) return null;
    const read = await client.getProject({ params: { project_id: projectId } });
    return read.ok ? read.value : null;
  };
  const project = await readProject();
  const { image, follow: follows, timeoutMs } = inputs.value;
  const wrong = image === null || project === null ? null : wrongImage(image, project.repository);
  if (wrong !== null) return stop("usage", withInputNames(wrong));
  if (signal.aborted) return stop("interrupted", "The job was canceled. Nothing was started.");

  // If this process ends before the answer to the start, the last part of the step finds the deployment by these.
  await runner.saveState("project", projectId);
  if (installation.isOfJob) {
    await runner.saveState("actor", account.value.token.id);
    await runner.saveState("since", account.headers.get("date") ?? new Date().toUTCString());
  }
  const started = await start(runner, client, projectId, inputs.value);
  if (!started.ok) {
    const isRefused = started.problem.status >= 400 && started.problem.status < 500;
    if (isRefused) await runner.saveState("ended", "yes");
    return started;
  }
  const { id, version } = started.value;
  await runner.saveState("deployment", id);
  const page = dashboardPage(url, `/deployments/${id}`);
  for (const [name, value] of Object.entries({ id, version: `${version}`, url: page }))
    await runner.setOutput(name, value);
  runner.line(`The deployment v${version} has started: ${page}`);
  if (!follows) {
    await runner.saveState("ended", "yes");
    return succeed(true);
  }

  const names = new Map(project?.servers_state.map((server) => [server.id, server.name]));
  const end = await follow(runner, installation, {
    ...{ id, timeoutMs, signal },
    bookmark: started.headers.get("gantry-bookmark"),
    nameOf: (server) => names.get(server) ?? server,
  });
  const canceled = end.kind === "stopped" || end.kind === "timed_out" ? await cancel(client, id) : null;
  // Without it, the last part of the step tries to cancel again.
  if (canceled?.ok !== false) await runner.saveState("ended", "yes");
  const details = await client.getDeployment({ params: { deployment_id: id } });
  const deployment = details.ok ? details.value : null;
  const outcome = outcomeOf(end, deployment);
  await runner.setOutput("status", outcome.status);
  // A project has no address before its first deployment.
  const site = (await readProject())?.url ?? null;
  if (site !== null) await runner.setOutput("site", site);
  if (deployment !== null)
    await runner.summarize(
      summaryText({
        ...{ deployment, page, site, outcome: outcome.text, project: project?.name ?? null },
      }),
    );
  const isLive = outcome.status === "live";
  if (isLive) runner.line(`v${version} ${outcome.text}${site === null ? "" : `: ${site}`}`);
  else runner.annotate("error", `v${version} ${outcome.text}${reasonOf(end, deployment)} ${page}`);
  if (canceled !== null) runner.line(canceled.ok ? canceled.value : canceled.problem.detail);
  return succeed(isLive);
}

runPart(deploy);
