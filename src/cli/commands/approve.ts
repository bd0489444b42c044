import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { describeWaiting } from "#cli/session/describe-waiting.ts";
import { DEPLOYMENT_HELP, findDeployment, findOnly } from "#cli/session/find-deployment.ts";
import { withSession } from "#cli/session/session.ts";
import { sourceText } from "#cli/views/deployment-text.ts";

export const approve = defineCommand({
  name: "approve",
  summary: "Approve a deployment that waits for it",
  details: ["The token needs the scope deployments:approve."],
  words: {
    deployment: {
      isRequired: false,
      help: `${DEPLOYMENT_HELP} (default: the only one that waits for an approval)`,
    },
  },
  options: {},
  examples: ["approve", "approve v12"],
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const deployment = await (words.deployment === null
      ? findOnly(session, "waiting for an approval", ({ waiting_on }) => waiting_on?.type === "approval")
      : findDeployment(session, words.deployment));
    if (!deployment.ok) return deployment;
    const approved = await client.approveDeployment({
      params: { deployment_id: deployment.value.id },
      body: {},
    });
    if (!approved.ok) return approved;
    const { version, waiting_on: waiting } = approved.value;
    output.json(approved.value);
    output.line(`v${version} is approved: ${sourceText(approved.value)}.`);
    // Its server gets it now, so it is not known yet whether it is connected.
    if (waiting?.type === "server") output.note("It starts as soon as its server takes it.");
    else if (waiting !== null) output.note(`It is waiting ${await describeWaiting(session, waiting)}.`);
    return done;
  }),
});
