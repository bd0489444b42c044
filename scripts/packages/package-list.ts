import { buildClient } from "../client/build-client.ts";
import { bundleAgentWithSources } from "../shared/build-agent.ts";
import { writeCommandPackage } from "../shared/build-command.ts";
import { type PackageName, writePackage } from "../shared/write-package.ts";
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
    bin: { "gantry-agent": program },
    engines: { node: ">=20" },
    os: ["linux"],
  };
  const { code, sources } = await bundleAgentWithSources();
  await writePackage(folder, { manifest, files: { [program]: code }, part: "agent" });
  return sources;
}
