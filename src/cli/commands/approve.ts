import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { FullCommitName } from "#contract/git-names.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { confirm } from "#cli/ask.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { describeWaiting } from "#cli/session/describe-waiting.ts";
import { DEPLOYMENT_HELP, findDeployment, findOnly } from "#cli/session/find-deployment.ts";
import { withSession } from "#cli/session/session.ts";
import { sourceText } from "#cli/views/deployment-text.ts";

export const approve = defineCommand({
  name: "approve",
  summary: "Approve a deployment that waits for it",
  details: [
    "Shows the commit and asks for confirmation; without a terminal, pass --commit or --yes. Only this commit is approved: if the deployment has another one, the command fails. It also fails if the deployment waits for another approval by then. The token needs the scope deployments:approve.",
  ],
  words: {
    deployment: {
      isRequired: false,
      help: `${DEPLOYMENT_HELP} (default: the only deployment that waits for an approval)`,
    },
  },
  options: {
    commit: {
      kind: "text",
      short: "c",
      value: "HASH",
      help: "Full hash of the commit that you have reviewed; skips the confirmation prompt",
    },
    yes: { kind: "flag", short: "y", help: "Approve the commit that is shown, without the prompt" },
  },
  examples: ["approve", "approve v12", 'approve v12 --commit "$(git rev-parse origin/main)"'],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const found = await (words.deployment === null
      ? findOnly(
          session,
          "waiting for an approval",
          ({ waiting_on: waiting }) => waiting?.type === "approval" || waiting?.type === "commit",
        )
      : findDeployment(session, words.deployment));
    if (!found.ok) return found;
    const commit = options.commit === null ? shownCommit(found.value) : readCommit(options.commit);
    if (!commit.ok) return commit;
    const { id, version, actor } = found.value;
    const question = `Approve v${version} of ${printableName(actor.name)}: ${sourceText(inFull(found.value))}?`;
    const isSure = options.commit !== null || options.yes;
    const confirmed = await confirm(session, question, isSure);
    if (!confirmed.ok) return confirmed;
    const approved = await client.approveDeployment({
      params: { deployment_id: id },
      body: { ...(commit.value === null ? {} : { commit: commit.value }), ...seenHold(found.value) },
    });
    if (!approved.ok) return approved;
    const { waiting_on: waiting } = approved.value;
    output.json(approved.value);
    output.line(`v${version} is approved: ${sourceText(approved.value)}.`);
    // The server is sent the deployment now, so it is not known yet whether the server is connected.
    if (waiting?.type === "server") output.note("It starts as soon as its server takes it.");
    else if (waiting !== null) output.note(`It is waiting ${await describeWaiting(session, waiting)}.`);
    return done;
  }),
});

/**
 * The commit that the question shows. A change of settings may have none: it applies to the release that is live at its
 * turn.
 */
function shownCommit({ version, kind, branch, commit_sha: sha, status }: Deployment): Result<string | null> {
  if (sha !== null || kind === "config" || status !== "building") return succeed(sha);
  const what = `The commit of v${version} (${printableName(branch)}) is not known yet`;
  return stop("commit_unknown", `${what}: its server resolves it. Try again when the server is connected.`);
}

/** The end of the wait after the first servers, if the deployment waits for that: another wait is not approved. */
function seenHold({ waiting_on: waiting }: Deployment): { readonly until?: string } {
  return waiting?.type === "approval" && waiting.until !== undefined ? { until: waiting.until } : {};
}

/** With the whole hash, so that it can be compared with the hash of the reviewed commit. */
function inFull(deployment: Deployment): Deployment {
  return { ...deployment, commit: deployment.commit_sha };
}

function readCommit(text: string): Result<string> {
  const commit = FullCommitName.safeParse(text);
  if (commit.success) return succeed(commit.data);
  return stop(
    "usage",
    "--commit must be the full commit hash: another commit can have the same first characters.",
  );
}
