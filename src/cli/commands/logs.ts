import type { DeploymentId } from "#contract/ids.ts";
import { MAX_LOG_PAGE } from "#contract/endpoints/logs/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import { DEPLOYMENT_HELP, findDeployment } from "#cli/session/find-deployment.ts";
import { followDeployment } from "#cli/session/follow-deployment.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { printLogLine } from "#cli/views/log-line.ts";

export const logs = defineCommand({
  name: "logs",
  summary: "Show the log of a deployment",
  details: [
    "Without --follow it prints what there is so far. With it, it prints on until the deployment has ended, and ends as deploy --follow does. With --json each line is a line of JSON.",
  ],
  words: { deployment: { isRequired: false, help: `${DEPLOYMENT_HELP}; the newest without it` } },
  options: { follow: { kind: "flag", short: "f", help: "Go on until the deployment has ended" } },
  examples: ["logs -f", "logs v12"],
  run: withSession(async (session, { words, options }) => {
    const found = await findDeployment(session, words.deployment);
    if (!found.ok) return found;
    const { id, version } = found.value;
    return options.follow
      ? followDeployment(session, { id, version, bookmark: null })
      : printLog(session, id);
  }),
});

async function printLog({ client, output }: Session, id: DeploymentId): Promise<Outcome> {
  let cursor: string | null = null;
  do {
    const query = { limit: MAX_LOG_PAGE, ...(cursor === null ? {} : { cursor }) };
    const page = await client.getDeploymentLog({ params: { deployment_id: id }, query });
    if (!page.ok) return page;
    for (const line of page.value.lines) printLogLine(output, line);
    // While the deployment runs there is always a next page, which may be empty yet.
    cursor = page.value.lines.length === 0 ? null : page.value.next_cursor;
  } while (cursor !== null);
  return done;
}
