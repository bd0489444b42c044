import { realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

import type { AgentContext } from "#agent/context/context.ts";
import type { PolicyRefusal } from "#agent/policy/refuse.ts";
import { localPath } from "#contract/addresses/repository-address.ts";

/**
 * Refuses a repository in the agent's own folder, which the project's user could not read, with a message that says so.
 * Without isolation, projects can read each other anyway.
 */
export async function refuseOwnFiles(
  { home, isolation }: Pick<AgentContext, "home" | "isolation">,
  repository: string,
): Promise<PolicyRefusal> {
  const path = localPath(repository);
  if (isolation.kind === "none" || path === null) return null;
  const own = await realpath(home);
  return `${await placeOf(path)}/`.startsWith(own + sep)
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
