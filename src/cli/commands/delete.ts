import { defineCommand } from "#cli/arguments/command.ts";
import { confirm } from "#cli/ask.ts";
import { done } from "#cli/outcome.ts";
import { DEPLOYMENT_HELP, findDeployment } from "#cli/session/find-deployment.ts";
import { withSession } from "#cli/session/session.ts";
import { wasRemoved } from "#cli/session/was-removed.ts";
import { sourceText } from "#cli/views/deployment-text.ts";

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "Delete a deployment and its log",
  details: [
    "Asks first; where nobody can answer, it takes --yes. The live deployment cannot be deleted. One that is under way is canceled.",
  ],
  words: { deployment: { isRequired: true, help: DEPLOYMENT_HELP } },
  options: { yes: { kind: "flag", short: "y", help: "Do not ask" } },
  examples: ["delete v12", "delete v12 --yes"],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const deployment = await findDeployment(session, words.deployment);
    if (!deployment.ok) return deployment;
    const { id, project_id, version, status } = deployment.value;
    const what = `Delete v${version} (${status}, ${sourceText(deployment.value)}) and its log?`;
    const isSure = await confirm(session, what, options.yes);
    if (!isSure.ok) return isSure;
    const removed = await client.deleteDeployment({ params: { project_id, deployment_id: id } });
    if (!wasRemoved(removed) && !removed.ok) return removed;
    output.json({ deleted: id });
    output.line(`v${version} is deleted.`);
    return done;
  }),
});
