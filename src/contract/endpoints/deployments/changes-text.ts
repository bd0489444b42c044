import type { DeploymentChange } from "#contract/endpoints/deployments/schemas.ts";

/** How many changes a line names. */
const MAX_NAMED = 4;

/**
 * What a deployment of the live code changes, in a line: `web 1 → 2, variables r7 → r8`.
 * @param changes null: not known
 */
export function changesText(changes: readonly DeploymentChange[] | null): string | null {
  if (changes === null) return null;
  if (changes.length === 0) return "no changes";
  const named = changes.slice(0, MAX_NAMED).map(changeText);
  const more = changes.length - MAX_NAMED;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}

function changeText({ setting, before, after }: DeploymentChange): string {
  const [, process, field] = /^processes\.(.+)\.([a-z_]+)$/.exec(setting) ?? [];
  if (process !== undefined && field === "restart") return `restart of ${process}`;
  if (process !== undefined && field === "stopped")
    return `${process} ${after === "true" ? "stopped" : "started"}`;
  if (process !== undefined && field === "instances") return `${process} ${before} → ${after}`;
  if (setting === "variables") return `variables ${revision(before)} → ${revision(after)}`;
  const name = process === undefined ? setting : `${process}.${field}`;
  if (before === null && after === null) return name;
  return `${name} ${before ?? "unset"} → ${after ?? "unset"}`;
}

const revision = (text: string | null): string => (text === null ? "none" : `r${text}`);
