import { createHash, randomUUID } from "node:crypto";

import { readAll } from "#client/read-all.ts";
import type { ClientResult } from "#client/send.ts";
import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import type { Deployment, DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { projectEndpoints } from "#contract/endpoints/projects/endpoints.ts";
import { type DeploymentId, ProjectId, type TokenId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { missingPermission } from "#contract/may-call.ts";
import { MAX_PAGE_SIZE } from "#contract/page-size.ts";
import { permissionsIn } from "#contract/permissions.ts";
import { missing, type Result, stop } from "#cli/outcome.ts";
import { onlyProject } from "#cli/session/only-project.ts";
import type { Inputs } from "#action/inputs.ts";
import type { Installation } from "#action/installation.ts";
import type { Runner } from "#action/runner.ts";

type Client = Installation["client"];

/** The project of the input `project`; without it, the only project that the token is for. */
export async function findProject(
  client: Client,
  account: Account,
  word: string | null,
): Promise<Result<ProjectId>> {
  const id = ProjectId.safeParse(word);
  if (id.success) return succeed(id.data);
  const only = onlyProject(account);
  if (word === null)
    return only === null
      ? stop("no_project", "Set the input project to the project's name or ID.")
      : succeed(only);
  if (!mayRead(account, "listProjects"))
    return stop(
      "no_project",
      `The token of this job may not read the names of projects. ${only !== null ? "It is for one project: remove the input project" : "Set the input project to the project's ID"}, or add the scope projects:read to the trust rule.`,
    );
  const all = await readAll(client.listProjects, (page) => page.projects);
  if (!all.ok) return all;
  const wanted = word.normalize("NFC");
  const [found, other] = all.value.filter(({ name }) => name.normalize("NFC") === wanted);
  if (other !== undefined)
    return stop("ambiguous_name", `Several projects are named ${word}. Set the input project to an ID.`);
  if (found !== undefined) return succeed(found.id);
  const names = all.value.map(({ name }) => name);
  return missing(`There is no project ${word} in this account.${didYouMean(word, names)}`);
}

/** Whether the token may make a request. A refused one would be in the audit log, where it looks like an attack. */
export function mayRead(account: Account, operation: "listProjects" | "getProject"): boolean {
  return missingPermission(projectEndpoints[operation].access, permissionsIn(account)) === null;
}

/** Starts the deployment, once for each attempt of the job, also if this step runs again after a lost answer. */
export async function start(
  runner: Runner,
  client: Client,
  projectId: ProjectId,
  { branch, commit }: Pick<Inputs, "branch" | "commit">,
): Promise<ClientResult<DeploymentStarted>> {
  const body = { ...(branch === null ? {} : { branch }), ...(commit === null ? {} : { commit }) };
  return await client.startDeployment({
    params: { project_id: projectId },
    body,
    headers: { "idempotency-key": keyOf(runner, [projectId, branch, commit]) },
  });
}

/** The names of this step in this attempt of its job. Jobs of a matrix have the same, so what they deploy is added. */
function keyOf(runner: Runner, deployed: readonly (string | null)[]): string {
  const names = ["GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB", "GITHUB_ACTION"];
  const values = names.map((name) => runner.variable(name));
  if (values.includes(null)) return randomUUID();
  return createHash("sha256")
    .update(JSON.stringify([...values, ...deployed]))
    .digest("hex");
}

/**
 * Cancels a deployment.
 * @returns a sentence about the result
 */
export async function cancel(client: Client, id: DeploymentId): Promise<Result<string>> {
  const canceled = await client.cancelDeployment({ params: { deployment_id: id }, body: {} });
  if (canceled.ok) {
    const { version, status } = canceled.value;
    return succeed(
      status === "canceled"
        ? `The deployment v${version} is canceled.`
        : `The deployment v${version} is being canceled. Its server is stopping it.`,
    );
  }
  // It ended meanwhile, or its release is being activated.
  return canceled.problem.code === "not_cancelable" ? succeed(canceled.problem.detail) : canceled;
}

/**
 * The unended deployments of a project that a token has started since an instant: what a step has started whose answer was
 * lost. Earlier steps of the job have the same token.
 * @param since Unix milliseconds by the clock of the installation, rounded down to seconds
 */
export async function findStarted(
  client: Client,
  projectId: ProjectId,
  { actor, since }: { readonly actor: TokenId; readonly since: number },
): Promise<ClientResult<Deployment[]>> {
  const query = { project_id: projectId, status: "building", limit: MAX_PAGE_SIZE };
  const page = await client.listDeployments({ query });
  const isOfStep = (one: Deployment) => one.actor.id === actor && Date.parse(one.created_at) >= since;
  return page.ok ? { ...page, value: page.value.deployments.filter(isOfStep) } : page;
}
