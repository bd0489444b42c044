import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { findProject } from "#cli/session/find-project.ts";
import { withSession } from "#cli/session/session.ts";
import { printStarted } from "#cli/session/print-started.ts";

export const deploy = defineCommand({
  name: "deploy",
  summary: "Start a deployment",
  details: [
    "Deploys the project's branch where neither a branch nor a commit is given. With --follow it ends with 0 only if the deployment is live then; a cut connection does not end it, and Ctrl-C does not end the deployment.",
  ],
  words: {},
  options: {
    branch: { kind: "text", short: "b", value: "NAME", help: "The branch or tag to deploy" },
    commit: { kind: "text", short: "c", value: "HASH", help: "The commit to deploy, 7 characters or more" },
    follow: { kind: "flag", short: "f", help: "Show the log until the deployment has ended" },
  },
  examples: ["deploy --follow", 'deploy --commit "$(git rev-parse HEAD)" --follow', "deploy -p shop -b next"],
  run: withSession(async (session, { options }) => {
    const { branch, commit } = options;
    const project = await findProject(session);
    if (!project.ok) return project;
    const { id, name } = project.value;
    const started = await session.client.startDeployment({
      params: { project_id: id },
      body: givenFields({ branch, commit }),
    });
    return printStarted(session, started, { what: `Deployment of ${name ?? id}`, follow: options.follow });
  }),
});
