import minVersion from "semver/ranges/min-version.js";

import { packageCommand, type WantedProgram } from "#build/tools/install-advice.ts";
import { npmPackageOf } from "#project-files/frameworks/tools/npm-package.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import { exactVersion, rangeFor } from "#project-files/frameworks/tools/wanted-version.ts";

/** Says how to install a program on this machine, in the version that the repository asks for. */
export async function localAdvice(wanted: WantedProgram): Promise<string> {
  const { program, tool, requests } = wanted;
  const fromNpm = tool === null ? null : npmPackageOf(tool, requests);
  if (fromNpm !== null) return `Run \`npm install --global ${fromNpm.name}@${fromNpm.range}\`.`;
  const command = await packageCommand(wanted);
  if (command !== null)
    return command.startsWith("brew ") ? `Run \`${command}\`.` : `Run \`${command}\` as root.`;
  if (tool === null) return `Install ${program}.`;
  return `Install mise (https://mise.jdx.dev), and run \`mise use --global ${tool}@${versionFor(requests)}\`.`;
}

/** A version as mise names it. */
function versionFor([request]: readonly ToolRequest[]): string {
  if (request === undefined || request.wanted.kind === "newest") return "latest";
  if (request.wanted.kind === "lts") return "lts";
  return exactVersion(request.wanted) ?? minVersion(rangeFor(request.wanted))?.version ?? "latest";
}
