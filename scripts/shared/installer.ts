import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "./root.ts";

/** The parts of a script, as they follow each other: files of a folder of src/agent/install, without `.sh`. */
const scripts = {
  installer: [
    ...[
      "usage",
      "options",
      "machine",
      "downloads",
      "ingress",
      "containers",
      "home",
      "agent-files",
      "policy",
      "service",
    ],
    ...["isolation", "install", "uninstall", "main"],
  ],
  helper: ["connection", "request", "folders", "processes", "jobs", "apps", "removal", "main"],
} as const;

const readPart = (...path: string[]) => readFile(join(root, "src", "agent", "install", ...path), "utf8");

/**
 * A script that a server runs as root, put together from its parts. `installer`: with the places that `renderInstaller`
 * fills in. `helper`: the isolation helper.
 */
export async function readScript(name: keyof typeof scripts): Promise<string> {
  const parts = await Promise.all(scripts[name].map((part) => readPart(name, `${part}.sh`)));
  return parts.join("\n");
}

/** What an installation's installer installs: the agent's version, file name, and SHA-256 in hex. */
type Agent = { readonly version: string; readonly file: string; readonly sha256: string };

/** The installer for an agent, except `@ORIGIN@`, which the Worker fills in. */
export async function renderInstaller({ version, file, sha256 }: Agent): Promise<string> {
  const helper = (await readScript("helper")).trimEnd();
  const appLife = (await readPart("app-life.sh")).trimEnd();
  const strictPolicy = (await readPart("strict-policy.json")).trimEnd();
  return (
    (await readScript("installer"))
      // A function, because a replacement text would have its dollar signs interpreted.
      .replace("@ISOLATE_HELPER@", () => helper)
      .replace("@APP_LIFE@", () => appLife)
      .replace("@STRICT_POLICY@", () => strictPolicy)
      .replace("@AGENT_VERSION@", version)
      .replace("@AGENT_FILE@", file)
      .replace("@AGENT_SHA256@", sha256)
  );
}
