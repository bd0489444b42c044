import type { ProjectSelection } from "#domain/outlet/selection.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";

/**
 * Limits what may be sent and shown to deliveries about these projects. What waits and is about others is held: it is
 * neither listed nor sent while the webhook does not select its projects. Call it in a transaction.
 */
export function selectProjects(
  { record, deliveries }: Pick<OutletContext, "record" | "deliveries">,
  projectIds: ProjectSelection,
  changedAt: number,
): void {
  record.select(projectIds, changedAt);
  deliveries.holdOutside(projectIds);
}
