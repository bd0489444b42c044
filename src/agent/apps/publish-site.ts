import { posix } from "node:path";

import type { AgentContext } from "#agent/context/context.ts";
import { readSite, type SiteFile, writeSite } from "#agent/ingress/site-file.ts";
import { defaultRules, DEFAULT_RULES, rulesId, type RuleSets } from "#agent/workspace/site-rules.ts";
import { showsSources } from "#build/site-rules/source-files.ts";
import { servedText, writeServed } from "#agent/ingress/slots.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases, readRelease, type Release, releasePath } from "#agent/workspace/releases.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** The host names of a project. */
export type SiteNames = Pick<SiteFile, "domain" | "aliases">;

/** Where a release's domain leads to. `nothing`: an activate command starts the app, or other servers serve the domain. */
export type SitePlan =
  | { readonly kind: "app" }
  | { readonly kind: "files"; readonly release: Release }
  | { readonly kind: "nothing" };

export function planSite(
  release: Release | null,
  { isServed, isApp }: { readonly isServed: boolean; readonly isApp: boolean },
): SitePlan {
  if (!isServed) return { kind: "nothing" };
  if (isApp) return { kind: "app" };
  return release === null || release.published === false ? { kind: "nothing" } : { kind: "files", release };
}

/**
 * Has the ingress lead a project's host names to its instances or files. Without a Gantry ingress, only apps
 * are noted, because other web servers find the files by `current`.
 * @param names `null` keeps the names of the earlier site
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
  if (plan.kind === "nothing" || domain === null) {
    await ingress.leave(folder.id);
    await writeSite(folder, null);
  } else if (plan.kind === "app") await write({ domain, aliases, content: { kind: "app" } });
  else {
    const { version, root_directory, output_directory, site_rules } = plan.release;
    const rules = rulesId(site_rules ?? defaultRules);
    const directory = posix.join(root_directory, output_directory);
    const served = { rules, documentRoot: posix.join(releasePath(folder, version), directory) };
    const known = earlier?.content.kind === "files" ? (earlier.content.rule_sets ?? {}) : {};
    const isNew = rules !== DEFAULT_RULES && !Object.hasOwn(known, rules);
    const sets = isNew ? await keptRules(folder, plan.release) : known;
    const content: SiteFile["content"] = {
      kind: "files",
      directory,
      ...(showsSources(plan.release) ? { sources: true } : {}),
      ...(Object.keys(sets).length === 0 ? {} : { rule_sets: sets }),
    };
    // The ingress knows the rules before a request is answered by them.
    if (isNew && earlier?.content.kind === "files") {
      await write({ ...earlier, content: { ...earlier.content, rule_sets: sets } });
      await ingress.apply();
    }
    await writeServed(slots, folder.id, served);
    // Read only after a restart of the server. Without space on the disk, it stays as it is until the next switch.
    await writeAtomic(folder.served, servedText(served)).catch(() => undefined);
    await write({ domain, aliases, content });
  }
  await ingress.apply();
}

/** The rules of this release and of all others on the server. The rules of removed releases are dropped. */
async function keptRules(folder: ProjectFolder, release: Release): Promise<RuleSets> {
  const { complete } = await listReleases(folder);
  const kept = await Promise.all(complete.map((version) => readRelease(folder, version)));
  const all = [...kept, release].flatMap((one) => one?.site_rules ?? []);
  const named = all.map((rules) => [rulesId(rules), rules] as const);
  return Object.fromEntries(named.filter(([id]) => id !== DEFAULT_RULES));
}
