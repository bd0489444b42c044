import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { hasCode } from "#agent/has-code.ts";
import { writeWhole } from "#agent/workspace/write-whole.ts";
import { wholeBetween } from "#contract/bounds.ts";
import { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";

/** A project that has a port here, and the workspace folder it is served from. */
export const Site = z.strictObject({
  project_id: ProjectId,
  directory: z.string().check(z.startsWith("/")),
  port: wholeBetween(1, 65_535),
});
export type Site = z.infer<typeof Site>;

const SitesFile = z.strictObject({ sites: z.array(Site) });

/** The list of sites on disk, `sites.json`, so that they come back on the same ports. */
export type SiteStore = { load(): Promise<Site[]>; save(sites: readonly Site[]): Promise<void> };

/**
 * @throws from `load` when the file is there but cannot be read or understood: to start empty would lose every port.
 */
export function createSiteStore(home: string): SiteStore {
  const path = join(home, "sites.json");
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(path, "utf8");
      } catch (error) {
        if (hasCode(error, "ENOENT")) return [];
        throw error;
      }
      const file = SitesFile.safeParse(parseJson(text));
      if (!file.success)
        throw new Error(`${path} is damaged. Mend it, or delete it to give every site a new port.`);
      return file.data.sites;
    },
    async save(sites) {
      await mkdir(home, { recursive: true });
      await writeWhole(path, `${JSON.stringify({ sites }, null, 2)}\n`);
    },
  };
}
