import { readAll } from "#client/read-all.ts";
import { holdOutlook } from "#contract/endpoints/freezes/hold-outlook.ts";
import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import type { ProjectId } from "#contract/ids.ts";
import { printable } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { commandLine, type Session } from "#cli/session/session.ts";

/** How a line starts that says how to approve a deployment. */
const approvers = {
  none: "",
  required: "To approve it",
  by_another: "Another person must approve it",
  by_another_person: "Another person must approve it",
} as const satisfies Record<ApprovalRule, string>;

/**
 * Reads what will hold a deployment of the project that is started now, as far as the token may read it.
 * @returns prints it, with the ways not to wait
 */
export async function readHoldOutlook(
  session: Session,
  projectId: ProjectId,
): Promise<(version: number) => void> {
  const { client, output } = session;
  if (output.form === "json") return () => undefined;
  const [project, freezes] = await Promise.all([
    mayCall(session, "getProject").then((may) =>
      may ? client.getProject({ params: { project_id: projectId } }) : null,
    ),
    mayCall(session, "listFreezes").then((may) =>
      may ? readAll(client.listFreezes, (page) => page.freezes) : null,
    ),
  ]);
  const approval = project?.ok === true ? project.value.approval : null;
  const rules = { projectId, approval, freezes: freezes?.ok === true ? freezes.value : [] };
  const outlook = holdOutlook(rules, (time) => timeText(time, output));
  if (outlook === null) return () => undefined;
  return (version) => {
    const who = approval === null ? "" : approvers[approval];
    const approve = who === "" ? "" : `${who}: ${commandLine(session, `approve v${version}`)}. `;
    const pass = `In an emergency: ${commandLine(session, "deploy")} --emergency REASON.`;
    output.note(printable(`v${version} will wait for ${outlook}. ${approve}${pass}`));
  };
}
