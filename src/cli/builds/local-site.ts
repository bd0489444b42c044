import { readCustomRules, type CustomRules } from "#build/site-rules/read-custom-rules.ts";
import { hides } from "#build/site-rules/source-files.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { missingParts } from "#build/tree/missing-parts.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";

/** `missingParts`: what to say about files that the first page loads, and that the site does not have. */
type LocalSite = { readonly rules: CustomRules; readonly missingParts: string | null };

/** A site whose files are in its repository. `null` if a build creates them, or nothing is published. */
export async function findLocalSite(build: LocalBuild): Promise<LocalSite | null> {
  const { choice, release, rootDirectory, root } = build;
  const { build_command, output_directory } = choice.plan;
  if (!choice.isPublished || build_command !== null) return null;
  const output = await folderInside(release, `${rootDirectory}/${output_directory}`);
  if (output.kind !== "inside") return null;
  const rules = await readCustomRules(output.path, root);
  const parts = await missingParts(output.path, hides({ output_directory }), rules.redirects);
  return { rules, missingParts: parts };
}
