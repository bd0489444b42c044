import { eq } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";
import type { ReportedPreset } from "#contract/endpoints/projects/reported-preset.ts";

/** Records the settings that the latest deployment detected from the project's files. */
export async function setDetected(
  rows: AccountRows,
  projectId: ProjectId,
  detected: ReportedPreset,
): Promise<void> {
  await rows.run(rows.update(projects, { detected }, eq(projects.id, projectId)));
}
