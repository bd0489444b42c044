import { HEADERS_FILE, REDIRECTS_FILE } from "#build/site-rules/rule-lines.ts";
import { packageManagerFiles } from "#contract/frameworks/package-manager.ts";
import { GANTRY_JSON } from "#contract/processes/read-gantry-json.ts";
import { PROCFILE } from "#contract/processes/read-procfile.ts";

/**
 * Files at the top of a repository that say how it is built and run. A site that is served from there does not show them to
 * its visitors. Names that begin with a dot are never served.
 */
export const sourceFiles: readonly string[] = [
  PROCFILE,
  GANTRY_JSON,
  ...["package.json", "pnpm-workspace.yaml", "composer.json", "composer.lock", "Gemfile", "Gemfile.lock"],
  ...packageManagerFiles,
];

/** Files at the top of a site that set its rules. No site shows them. */
export const ruleFiles: readonly string[] = [REDIRECTS_FILE, HEADERS_FILE];

/** Whether a site with this output directory is served from the folder with the sources. */
export function showsSources({ output_directory }: { readonly output_directory: string }): boolean {
  return output_directory === ".";
}
