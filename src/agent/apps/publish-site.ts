import { posix } from "node:path";

import type { AgentContext } from "#agent/context/context.ts";
import { readSite, type SiteFile, writeSite } from "#agent/ingress/site-file.ts";
import { showsSources } from "#agent/ingress/source-files.ts";
import { writeDocumentRoot } from "#agent/ingress/slots.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";

/** The host names of a project. */
export type SiteNames = Pick<SiteFile, "domain" | "aliases">;

/** Where a release's domain leads to. `nothing`: an activate command starts the app. */
export type SitePlan =
  | { readonly kind: "app" }
  | { readonly kind: "files"; readonly release: Release }
  | { readonly kind: "nothing" };

export function planSite(release: Release | null, isApp: boolean): SitePlan {
  if (isApp) return { kind: "app" };
  return release === null || release.published === false ? { kind: "nothing" } : { kind: "files", release };
}

/**
 * Has the ingress lead a project's host names to its instances or files. Without a Gantry ingress, only apps
 * are noted, because other web servers find the files by `current`.
 * @param names `null` keeps those of the earlier site
 */
export async function publishSite(
  { ingress, slots }: Pick<AgentContext, "ingress" | "slots">,
  folder: ProjectFolder,
  plan: SitePlan,
  names: SiteNames | null,
): Promise<void> {
  const read = await readSite(folder);
  const earlier = read.kind === "site" ? read.site : null;
  const { domain, aliases } = names ?? earlier ?? { domain: null, aliases: [] };
  const isUnused = ingress.kind === "none" && plan.kind === "files" && earlier === null;
  if (isUnused || (plan.kind === "nothing" && earlier === null)) return;
  const write = async (site: SiteFile): Promise<void> => {
    // A way back on a full disk.
    if (JSON.stringify(site) !== JSON.stringify(earlier)) await writeSite(folder, site);
  };
  if (plan.kind === "nothing" || domain === null) await writeSite(folder, null);
  else if (plan.kind === "app") await write({ domain, aliases, content: { kind: "app" } });
  else {
    const { version, root_directory, output_directory } = plan.release;
    const directory = posix.join(root_directory, output_directory);
    await writeDocumentRoot(slots, folder.id, posix.join(releasePath(folder, version), directory));
    const sources = showsSources(plan.release) ? ({ sources: true } as const) : {};
    await write({ domain, aliases, content: { kind: "files", directory, ...sources } });
  }
  await ingress.apply();
}
