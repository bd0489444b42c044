import type { ProjectId } from "#contract/ids.ts";
import type { Outcome } from "#cli/outcome.ts";
import { emergencyField } from "#cli/session/emergency-option.ts";
import { type NamedId, shownName } from "#cli/session/find-named.ts";
import { printStarted } from "#cli/session/print-started.ts";
import type { Session } from "#cli/session/session.ts";

/** Starts a deployment that applies the current variables and settings. */
export async function applyConfig(
  session: Session,
  project: NamedId<ProjectId>,
  options: { readonly follow: boolean; readonly warnings: boolean; readonly emergency?: string | null },
): Promise<Outcome> {
  const started = await session.client.applyConfig({
    params: { project_id: project.id },
    body: emergencyField({ emergency: options.emergency ?? null }),
  });
  const what = `Deployment of ${shownName(session, project)} without a build`;
  return printStarted(session, started, { what, ...options });
}
