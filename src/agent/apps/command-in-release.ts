import { delimiter } from "node:path";

import { projectUser } from "#agent/isolation/project-user.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { ownToolsFolder } from "#agent/workspace/tools-folder.ts";
import { findReleaseRoot } from "#agent/workspace/release-root.ts";
import { enginePlace } from "#agent/containers/engine-script.ts";
import { jobContainer } from "#agent/containers/run-script.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { type Environment, projectEnvironment } from "#build/commands/environment.ts";
import { releaseVariables, shellCommand } from "#build/commands/shell.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import type { Command } from "#build/process/command.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/**
 * A command of a release that was built. It runs in the release's own path, never in `current`, so that its files stay the
 * same after a switch.
 * @param marker of its processes
 * @param variables the project's variables, with open secrets
 */
export async function commandInRelease(
  context: Pick<AgentContext, "environment" | "home" | "isolation">,
  folder: ProjectFolder,
  release: Release,
  line: string,
  marker: string,
  variables: Environment,
): Promise<ResultOf<Command, { readonly reason: string }>> {
  const root = await findReleaseRoot(folder, release);
  if (!root.ok) return root;
  const user = projectUser(context, folder);
  const own = projectEnvironment(context.environment, marker, user, variables, release.tool_folders);
  // Last, so that a project can have a program of its own with the same name.
  const environment = {
    ...own,
    PATH: [own["PATH"] ?? USUAL_PATH, ownToolsFolder(context.home)].join(delimiter),
  };
  const facts = { release: releasePath(folder, release.version), ...factsOf(release) };
  return succeed(shellCommand(line, root.value, environment, facts));
}

const factsOf = (release: Release) => ({
  projectName: release.project_name,
  version: release.version,
  commitSha: release.commit_sha,
  branch: release.branch,
});

/** What a container of a release gets as environment variables, beside what its image sets. */
export function containerVariables(release: Release, variables: Environment): Environment {
  return { ...variables, ...releaseVariables(factsOf(release)) };
}

/** The same for an instance of an app or a one-off command: neither is a build. */
export async function appCommand(
  ...[context, folder, release, line, marker, variables]: Parameters<typeof commandInRelease>
): ReturnType<typeof commandInRelease> {
  const { image } = release;
  if (image !== undefined)
    return jobContainer(enginePlace(context, folder), {
      ...{ image, name: marker, line, sharedPaths: image.shared_paths },
      variables: containerVariables(release, variables),
    });
  const command = await commandInRelease(context, folder, release, line, marker, variables);
  if (!command.ok) return command;
  // Some frameworks behave as in a test when they find this.
  const { CI: _, ...shared } = command.value.env;
  const ci = variables["CI"];
  return succeed({ ...command.value, env: { ...shared, ...(ci === undefined ? {} : { CI: ci }) } });
}
