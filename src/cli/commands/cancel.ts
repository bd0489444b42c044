import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { DEPLOYMENT_HELP, findDeployment, findOnly } from "#cli/session/find-deployment.ts";
import { withSession } from "#cli/session/session.ts";

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
      ? findOnly(session, "in progress")
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
