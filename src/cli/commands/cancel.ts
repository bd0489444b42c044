import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { DEPLOYMENT_HELP, findDeployment } from "#cli/session/find-deployment.ts";
import { findProject } from "#cli/session/find-project.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

export const cancel = defineCommand({
  name: "cancel",
  summary: "Cancel a deployment that is not being activated yet",
  words: {
    deployment: { isRequired: false, help: `${DEPLOYMENT_HELP}; the only one under way without it` },
  },
  options: {},
  examples: ["cancel", "cancel v12"],
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const deployment = await (words.deployment === null
      ? findOnlyOne(session)
      : findDeployment(session, words.deployment));
    if (!deployment.ok) return deployment;
    const canceled = await client.cancelDeployment({
      params: { deployment_id: deployment.value.id },
      body: {},
    });
    if (!canceled.ok) return canceled;
    const { version, status } = canceled.value;
    output.json(canceled.value);
    output.line(
      status === "canceled"
        ? `v${version} is canceled.`
        : `v${version} is told to stop, and canceled once it has.`,
    );
    return done;
  }),
});

/** Nobody should have the wrong one canceled, so where several are under way one must be named. */
async function findOnlyOne(session: Session): Promise<Result<Deployment>> {
  const project = await findProject(session);
  if (!project.ok) return project;
  const page = await session.client.listDeployments({
    query: { project_id: project.value.id, status: "building" },
  });
  if (!page.ok) return page;
  const [only, ...others] = page.value.deployments;
  if (only === undefined) return stop("no_deployment", "No deployment of the project is under way.");
  if (others.length === 0) return succeed(only);
  const versions = page.value.deployments.map(({ version }) => `v${version}`);
  return stop("ambiguous_name", `Several are under way: ${versions.join(", ")}. Say which.`);
}
