import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome, type Result } from "#cli/outcome.ts";
import { DEPLOYMENT_HELP, findDeployment, findOnly } from "#cli/session/find-deployment.ts";
import { type Session, withSession } from "#cli/session/session.ts";

export const cancel = defineCommand({
  name: "cancel",
  summary: "Cancel deployments",
  details: [
    "A deployment that is already being activated cannot be canceled. Of several, each is canceled or not for itself. If one of them is not, the exit code is not 0.",
  ],
  words: {
    deployment: {
      isRequired: false,
      isList: true,
      help: `${DEPLOYMENT_HELP} (can be repeated; default: the only one in progress)`,
    },
  },
  options: {},
  examples: ["cancel", "cancel v12", "cancel v13 v14"],
  run: withSession(async (session, { words }) => {
    if (words.deployment.length === 0) {
      const only = await findOnly(session, "in progress");
      return only.ok ? await cancelOne(session, only.value) : only;
    }
    const found: Result<Deployment>[] = [];
    for (const word of new Set(words.deployment)) found.push(await findDeployment(session, word));
    const named = new Map(found.flatMap((one) => (one.ok ? [[one.value.id, one.value]] : [])));
    const outcomes: Outcome[] = found.filter((one) => !one.ok);
    // The newest first: the end of one lets the next one in the queue begin.
    for (const deployment of [...named.values()].toSorted((one, other) => other.version - one.version))
      outcomes.push(await cancelOne(session, deployment));
    const failed = outcomes.filter((one) => !one.ok);
    // The last one is printed with the exit code.
    for (const { problem } of failed.slice(0, -1)) session.output.problem(problem);
    return failed.at(-1) ?? done;
  }),
});

async function cancelOne({ client, output }: Session, { id }: Deployment): Promise<Outcome> {
  const canceled = await client.cancelDeployment({ params: { deployment_id: id }, body: {} });
  if (!canceled.ok) return canceled;
  const { version, status } = canceled.value;
  output.json(canceled.value);
  output.line(
    status === "canceled"
      ? `v${version} is canceled.`
      : `v${version} is being canceled. Its server is stopping it.`,
  );
  return done;
}
