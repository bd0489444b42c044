import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { hasCode } from "#node/has-code.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { wholeBetween } from "#contract/bounds.ts";
import { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";

/** A served project with its port and the folder that it is served from. */
export const Site = z.strictObject({
  project_id: ProjectId,
  directory: z.string().check(z.startsWith("/")),
  port: wholeBetween(1, 65_535),
});
export type Site = z.infer<typeof Site>;

const SitesFile = z.strictObject({ sites: z.array(Site) });
const storedSites = storedAs(SitesFile);

/** The stored list of sites, `sites.json`, which keeps their ports across restarts. */
export type SiteStore = { load(): Promise<Site[]>; save(sites: readonly Site[]): Promise<void> };

/**
 * An unreadable list is renamed and counts as empty: agents register their sites again when they start, and a new
 * port is better than no site.
 */
export function createSiteStore(home: string, log: (message: string) => void): SiteStore {
  const path = join(home, "sites.json");
  return {
    async load() {
      let reason = "it is not a list of sites";
      try {
        const file = storedSites.safeParse(parseJson(await readFile(path, "utf8")));
        if (file.success) return file.data.sites;
      } catch (error) {
        if (hasCode(error, "ENOENT")) return [];
        reason = messageOf(error);
      }
      const aside = `${path}.damaged`;
      await rename(path, aside);
      log(`${path} cannot be read (${reason}). It is now ${aside}, and sites may get other ports.`);
      return [];
    },
    async save(sites) {
      await mkdir(home, { recursive: true });
      await writeAtomic(path, `${JSON.stringify({ sites }, null, 2)}\n`, { flush: true });
    },
  };
}
