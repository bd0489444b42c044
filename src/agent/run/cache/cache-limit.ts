import { statfs } from "node:fs/promises";

import type { AgentContext } from "#agent/context/context.ts";
import { isNearlyFull } from "#contract/endpoints/servers/nearly-full.ts";

const MIB = 1024 * 1024;

/** How many bytes a project's cache may have: what the policy allows, and nothing while the disk is nearly full. */
export async function cacheLimit({ home, policy }: Pick<AgentContext, "home" | "policy">): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(home);
  const isFull = isNearlyFull({ total_bytes: blocks * bsize, free_bytes: bavail * bsize });
  return isFull ? 0 : policy.cache_mb * MIB;
}
