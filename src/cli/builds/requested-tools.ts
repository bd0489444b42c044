import { realpath } from "node:fs/promises";

import { readToolRequests } from "#build/tools/read-tool-requests.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";

/** The versions that the repository asks for: of several requests for a tool the one that decides. */
export async function requestedTools({
  release,
  root,
}: Pick<LocalBuild, "release" | "root">): Promise<readonly ToolRequest[]> {
  const requests = await readToolRequests(await realpath(release), root);
  return [...requests.values()].flatMap(([first]) =>
    first === undefined || first.strength === "default" ? [] : [first],
  );
}
