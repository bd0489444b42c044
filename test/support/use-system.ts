import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";

import type { LocalFile } from "../../scripts/start/local-file.ts";
import { type Api, createApi } from "./journey-api.ts";
import { requestShare } from "./shared-installations.ts";
import { SystemShare } from "./shared-system.ts";

/** The shared installation. Each file creates its own projects in it, with repositories below `folder`. */
export type UsedSystem = {
  readonly local: LocalFile;
  readonly api: Api;
  /** A folder for this file. It is removed with the installation. */
  readonly folder: string;
};

export async function useSystem(): Promise<UsedSystem> {
  const { home, local } = SystemShare.parse(await requestShare("/system"));
  const folder = await mkdtemp(join(home, "test-file-"));
  return { local, api: createApi(local.url, local.token), folder };
}
