import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { buildClient } from "../client/build-client.ts";
import { bundleAgentWithSources } from "../shared/build-agent.ts";
import { type PackageName, writeCommandPackage } from "../shared/build-command.ts";
import { root } from "../shared/root.ts";
import { owner } from "./owner.ts";

/** A package that a release publishes. */
export type Package = {
  /** Its name without the scope. Its archive is named after it. */
  readonly name: string;
  readonly description: string;
  /**
   * Writes the files of the package, with a package.json.
   * @param folder is replaced
   * @returns the paths of what is bundled, relative to the repository
   */
  readonly write: (folder: string, named: PackageName) => Promise<readonly string[]>;
};

export const command: Package = { name: "gantry", description: "The command", write: writeCommandPackage };

export const client: Package = {
  name: "gantry-client",
  description: "The client for programs",
  write: buildClient,
};

export const packages: readonly Package[] = [
  command,
  client,
  { name: "gantry-agent", description: "The agent for servers", write: writeAgentPackage },
];

/** The full name of a package in npm. */
export function publishedName(name: string, scope = owner.scope): string {
  return scope === null ? name : `${scope}/${name}`;
}

/** The agent, for people who install it by hand. The installer downloads it from the installation. */
async function writeAgentPackage(folder: string, { name, version }: PackageName): Promise<readonly string[]> {
  const program = "gantry-agent.mjs";
  const manifest = {
    name,
    version,
    description: "The agent of Gantry, which deploys on a server",
    license: "MIT",
    type: "module",
    bin: { "gantry-agent": program },
    files: [program],
    engines: { node: ">=20" },
    os: ["linux"],
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { code, sources } = await bundleAgentWithSources();
  await writeFile(join(folder, program), code);
  await chmod(join(folder, program), 0o755);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(join(root, "src", "agent", "README.md"), join(folder, "README.md"));
  return sources;
}
