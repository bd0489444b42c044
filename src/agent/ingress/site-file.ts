import { readFile, rename, rm } from "node:fs/promises";

import * as z from "zod/mini";

import { RuleSets } from "#agent/workspace/site-rules.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { listUpTo } from "#contract/bounds.ts";
import { Alias, Domain, MAX_ALIASES } from "#contract/endpoints/projects/settings.ts";
import { InsidePath } from "#contract/git-names.ts";
import { parseJson } from "#contract/parse-json.ts";
import { hasCode } from "#node/has-code.ts";
import { writeAtomic } from "#node/write-atomic.ts";

import "#contract/issue-messages.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { storedAs } from "#contract/stored.ts";

/** What a domain leads to: the instances of the process `web`, or the files in a folder of the release. */
const SiteContent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("app") }),
  z.object({
    kind: z.literal("files"),
    directory: InsidePath,
    // Whether it is the folder with the sources.
    sources: z.optional(z.literal(true)),
    // The rules of all releases on this server, so that a switch to one of them needs no change of this file.
    rule_sets: z.optional(RuleSets),
  }),
]);

/** `projects/<id>/site.json`: the domains of a project that has been live. Written at each switch. */
export const SiteFile = z.object({
  domain: Domain,
  aliases: listUpTo(Alias, MAX_ALIASES),
  content: SiteContent,
});
export type SiteFile = z.infer<typeof SiteFile>;
const storedSite = storedAs(SiteFile);

/** `unreadable`: damaged, or changed by hand. `reason` is the end of a sentence. */
export type SiteRead =
  | { readonly kind: "site"; readonly site: SiteFile }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads a project's site. Never throws. */
export async function readSite(folder: Pick<ProjectFolder, "site">): Promise<SiteRead> {
  try {
    const site = storedSite.safeParse(parseJson(await readFile(folder.site, "utf8")));
    if (site.success) return { kind: "site", site: site.data };
    return { kind: "unreadable", reason: z.prettifyError(site.error) };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { kind: "missing" };
    return { kind: "unreadable", reason: messageOf(error) };
  }
}

/** Whether a project's domain should lead to its instances. */
export function leadsToApp(read: SiteRead): boolean {
  return read.kind === "site" && read.site.content.kind === "app";
}

const beforePath = ({ site }: ProjectFolder): string => site.replace(/\.json$/, ".before.json");

/**
 * Keeps the site as it is, if a switch is about to change its names or to remove it: a failure brings it back.
 * @param next the names after the switch; `null`: the switch removes the site
 */
export async function keepSiteBefore(
  folder: ProjectFolder,
  next: Pick<SiteFile, "domain" | "aliases"> | null,
): Promise<void> {
  const read = await readSite(folder);
  const namesOf = (site: Pick<SiteFile, "domain" | "aliases">) => JSON.stringify([site.domain, site.aliases]);
  if (read.kind === "site" && (next === null || namesOf(read.site) !== namesOf(next)))
    await writeAtomic(beforePath(folder), JSON.stringify(read.site), { flush: true });
  else await forgetSiteBefore(folder);
}

/** Brings back the site of before the switch. Needs no space on the disk. Safe to repeat. */
export async function restoreSiteBefore(folder: ProjectFolder): Promise<void> {
  await rename(beforePath(folder), folder.site).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
}

export async function forgetSiteBefore(folder: ProjectFolder): Promise<void> {
  await rm(beforePath(folder), { force: true });
}

/**
 * Writes a project's site, or with null deletes it. Call `ingress.apply` afterwards.
 * @throws the file system's error; the earlier site is unchanged then
 */
export async function writeSite(folder: ProjectFolder, site: SiteFile | null): Promise<void> {
  if (site === null) {
    await rm(folder.served, { force: true });
    return rm(folder.site, { force: true });
  }
  await writeAtomic(folder.site, `${JSON.stringify(site, null, 2)}\n`, { flush: true });
}
