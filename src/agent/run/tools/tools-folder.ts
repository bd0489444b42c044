import { join } from "node:path";

/** The folder of the tools that the agent installs for builds, in its home. Builds can read it and not write to it. */
export function toolsFolder(home: string): string {
  return join(home, "tools");
}
