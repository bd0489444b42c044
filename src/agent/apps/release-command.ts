import { projectUser } from "#agent/isolation/project-user.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { type Environment, projectEnvironment } from "#build/commands/environment.ts";
import { shellCommand } from "#build/commands/shell.ts";
import type { Command } from "#build/process/command.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import type { ResultOf } from "#contract/lib/result.ts";

/**
 * A command of a release that was built: an instance of an app, or a one-off command. It runs in the release's own path,
 * never in `current`, so that its files stay the same after a switch.
 * @param marker of its processes
 * @param variables the project's variables, with open secrets
 */
export async function releaseCommand(
  context: Pick<AgentContext, "environment" | "isolation">,
  folder: ProjectFolder,
  release: Release,
  line: string,
  marker: string,
  variables: Environment,
): Promise<ResultOf<Command, { readonly reason: string }>> {
  const path = releasePath(folder, release.version);
  const root = await folderInside(path, release.root_directory);
  if (root.kind !== "inside")
    return { ok: false, reason: `the root directory \`${release.root_directory}\` is not in the release` };
  const environment = projectEnvironment(
    context.environment,
    marker,
    projectUser(context, folder),
    variables,
    release.tool_folders,
  );
  const command = shellCommand(line, root.path, environment, {
    release: path,
    projectName: release.project_name,
    version: release.version,
    commitSha: release.commit_sha,
    branch: release.branch,
  });
  // An app is no build: some frameworks behave as in a test when they find this.
  const { CI: _, ...shared } = command.env;
  const ci = variables["CI"];
  return { ok: true, value: { ...command, env: { ...shared, ...(ci === undefined ? {} : { CI: ci }) } } };
}
