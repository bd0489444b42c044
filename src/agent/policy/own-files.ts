import { realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

import type { AgentContext } from "#agent/context/context.ts";
import type { PolicyRefusal } from "#agent/policy/check-policy.ts";
import { percentDecoded } from "#contract/mask.ts";

/**
 * Refuses a repository in the agent's own folder, where git, as the agent's user, could read the mirrors of all other
 * projects. Without isolation, projects can read each other anyway.
 */
export async function refuseOwnFiles(
  { home, isolation }: Pick<AgentContext, "home" | "isolation">,
  repository: string,
): Promise<PolicyRefusal> {
  const path = /^(?:file:\/\/)?(\/.*)$/s.exec(repository)?.[1];
  if (isolation.kind === "none" || path === undefined) return null;
  const own = await realpath(home);
  // git decodes addresses, but not paths.
  const places = await Promise.all([path, percentDecoded(path)].map(placeOf));
  return places.some((place) => `${place}/`.startsWith(own + sep))
    ? `a project cannot read the repository ${repository}, because it is in the agent's own folder`
    : null;
}

/** The path without links. git tries other endings of a path that does not exist. */
async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await placeOf(parent), path.slice(parent.length));
  }
}
