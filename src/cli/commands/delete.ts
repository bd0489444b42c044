import { defineCommand } from "#cli/arguments/command.ts";
import { DEPLOYMENT_HELP, findDeployment } from "#cli/session/find-deployment.ts";
import { remove } from "#cli/session/remove.ts";
import { withSession } from "#cli/session/session.ts";
import { sourceText } from "#cli/views/deployment-text.ts";

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "Delete a deployment and its log",
  details: [
    "Asks for confirmation; without a terminal, pass --yes. The live deployment cannot be deleted. A deployment in progress is canceled.",
  ],
  words: { deployment: { isRequired: true, help: DEPLOYMENT_HELP } },
  options: { yes: { kind: "flag", short: "y", help: "Skip the confirmation prompt" } },
  examples: ["delete v12", "delete v12 --yes"],
  run: withSession(async (session, { words, options }) => {
    const deployment = await findDeployment(session, words.deployment);
    if (!deployment.ok) return deployment;
    const { id, project_id, version, status } = deployment.value;
    return remove(session, {
      question: `Delete v${version} (${status}, ${sourceText(deployment.value)}) and its log?`,
      yes: options.yes,
      send: () => session.client.deleteDeployment({ params: { project_id, deployment_id: id } }),
      json: { deleted: id },
      line: `v${version} is deleted.`,
    });
  }),
});
