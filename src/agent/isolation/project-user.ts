import type { Isolation } from "#agent/isolation/isolation.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** The project's own user; `null` when its commands run as the agent's user. */
export function projectUser(
  { isolation }: { readonly isolation: Isolation },
  folder: ProjectFolder,
): { readonly name: string; readonly home: string } | null {
  return isolation.kind === "none" ? null : { name: folder.id, home: folder.home };
}
