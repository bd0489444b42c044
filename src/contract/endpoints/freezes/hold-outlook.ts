import type { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";

type Rules = {
  readonly projectId: ProjectId;
  /** Null: not known. */
  readonly approval: Project["approval"] | null;
  /** The freezes that the token can see. */
  readonly freezes: readonly Freeze[];
};

/**
 * What a deployment that is started now will wait for, such as `an approval and the end of the freeze Launch, 2 days from
 * now`; null: nothing that is known.
 * @param timeOf shows the end of a freeze
 */
export function holdOutlook(
  { projectId, approval, freezes }: Rules,
  timeOf: (iso: string) => string,
): string | null {
  const holding = freezes.flatMap(({ name, project_id: id, active, window }) =>
    active && window !== null && (id === null || id === projectId) ? [{ name, until: window.until }] : [],
  );
  const [last] = holding.toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until));
  const waits = [
    ...(approval === null || approval === "none" ? [] : ["an approval"]),
    ...(last === undefined ? [] : [`the end of the freeze ${last.name}, ${timeOf(last.until)}`]),
  ];
  return waits.length === 0 ? null : waits.join(" and ");
}
