import { reasonFor } from "#project-files/frameworks/tools/command-tools.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import { toolTitle } from "#project-files/frameworks/tools/tool.ts";

/** What the sentences call the machine that builds. */
export type BuildPlace = "this server" | "this machine";

/** A sentence about a program that the build starts and the machine does not have. @param names the project's files */
export function describeMissing(
  program: string,
  [request]: readonly ToolRequest[],
  names: readonly string[],
  place: BuildPlace,
): string {
  if (request !== undefined && request.strength !== "default")
    return `${asks(request)}, and ${place} does not have ${program}`;
  const reason = reasonFor(program, names);
  return `the build needs ${program}${reason === null ? "" : ` for ${reason}`}, which ${place} does not have`;
}

/** A sentence about another version than the repository asks for. */
export function describeOther(request: ToolRequest, version: string, place: BuildPlace): string {
  return `${asks(request)}, and ${place} has ${version}`;
}

function asks({ file, tool, written }: ToolRequest): string {
  return `${file} asks for ${toolTitle(tool)} ${written}`;
}
