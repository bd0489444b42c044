import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { DEPLOYMENT_HELP, findDeployment } from "#cli/session/find-deployment.ts";
import { findProject } from "#cli/session/find-named.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

export const cancel = defineCommand({
  name: "cancel",
  summary: "Cancel a deployment",
  details: ["A deployment that is already being activated cannot be canceled."],
  words: {
    deployment: { isRequired: false, help: `${DEPLOYMENT_HELP} (default: the only one in progress)` },
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
        : `v${version} is being canceled. Its server is stopping it.`,
    );
    return done;
  }),
});

/** Finds the only deployment in progress. Refuses if there are several, so that the wrong one is not canceled. */
async function findOnlyOne(session: Session): Promise<Result<Deployment>> {
  const project = await findProject(session);
  if (!project.ok) return project;
  const page = await session.client.listDeployments({
    query: { project_id: project.value.id, status: "building" },
  });
  if (!page.ok) return page;
  const [only, ...others] = page.value.deployments;
  if (only === undefined) return stop("no_deployment", "The project has no deployment in progress.");
  if (others.length === 0) return succeed(only);
  const versions = page.value.deployments.map(({ version }) => `v${version}`);
  return stop(
    "ambiguous_name",
    `Several deployments are in progress: ${versions.join(", ")}. Pass one of them.`,
  );
}
