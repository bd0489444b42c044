import { join } from "node:path";

/** The folder of the tools that the agent installs for builds, in its home. Builds can read it and not write to it. */
export function toolsFolder(home: string): string {
  return join(home, "tools");
}

/** The folder of the agent's own programs for apps, which is on the PATH of each release's commands. */
export function ownToolsFolder(home: string): string {
  return join(toolsFolder(home), "gantry");
}
