import { readCustomRules, type CustomRules } from "#build/site-rules/read-custom-rules.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";

/** The rules of a site whose files are in its repository. `null` if a build creates them, or nothing is published. */
export async function findLocalRules(build: LocalBuild): Promise<CustomRules | null> {
  const { choice, release, rootDirectory, root } = build;
  const { build_command, output_directory } = choice.plan;
  if (!choice.isPublished || build_command !== null) return null;
  const output = await folderInside(release, `${rootDirectory}/${output_directory}`);
  return output.kind === "inside" ? readCustomRules(output.path, root) : null;
}
