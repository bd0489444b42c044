import { realpath } from "node:fs/promises";

import { type BuildChoice, chooseBuild, type ChosenSettings } from "#build/choose-build.ts";
import { dockerfileOf } from "#build/choose-image.ts";
import { rootFailure } from "#build/failure/directory-failure.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import { readRepository } from "#build/tree/read-repository.ts";
import { readTree } from "#build/tree/read-tree.ts";
import { exportSource } from "#cli/builds/export-source.ts";
import { findLocalProject, type LocalProject } from "#cli/builds/find-local-project.ts";
import { findSource, type Source } from "#cli/builds/find-source.ts";
import { createWorkFolder, type WorkFolder } from "#cli/builds/work-folder.ts";
import type { CommandContext } from "#cli/context.ts";
import type { Result } from "#cli/outcome.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";

/** A build on this machine, and why it is built in this way. */
export type LocalBuild = {
  readonly source: Source;
  readonly project: LocalProject | null;
  /** The folder with the files: a copy of the commit, or the repository itself. */
  readonly release: string;
  /** `null` if the files are used as they are. */
  readonly work: WorkFolder | null;
  /** Relative to `release`. */
  readonly rootDirectory: string;
  /** The real path of the root directory, in which the commands run. */
  readonly root: string;
  readonly tree: Tree;
  /** What of the files is ignored. */
  readonly notes: readonly string[];
  readonly choice: BuildChoice;
};

/** `failure`: what a deployment would fail with. */
export type PreparedBuild = ResultOf<LocalBuild, { readonly failure: DeploymentFailure }>;

/** The options that select the source of a build. */
export const sourceOptions = {
  here: { kind: "flag", help: "Use the files as they are, instead of a copy of the last commit" },
  "no-project": { kind: "flag", help: "Use only what is detected, not the settings of a project" },
} as const;

export const sourceWords = {
  folder: { isRequired: false, help: "Folder of the project in its repository (default: this one)" },
} as const;

type Wanted = { readonly here: boolean; readonly "no-project": boolean };

/** Copies the last commit, and decides how it is built: by the settings of its project, and otherwise by detection. */
export async function prepareBuild(
  context: CommandContext,
  folder: string | null,
  wanted: Wanted,
  { withVariables }: { readonly withVariables: boolean },
): Promise<Result<PreparedBuild>> {
  const found = await findSource(context, folder, wanted.here);
  if (!found.ok) return found;
  const source = found.value;
  const project = await findLocalProject(context, source, { isIgnored: wanted["no-project"], withVariables });
  if (!project.ok) return project;
  const copy = await writeFiles(context, source);
  if (!copy.ok) return copy;

  const { release, work } = copy.value;
  const rootDirectory = project.value?.project.root_directory ?? source.root;
  const root = await folderInside(release, rootDirectory);
  if (root.kind !== "inside") return succeed({ ok: false, failure: rootFailure(rootDirectory, root) });
  const files = await readRepository(root.path);
  if (!files.ok) return succeed(unreadable(files.problem));
  const settings = project.value === null ? {} : ownSettings(project.value.project);
  const { path: dockerfile } = dockerfileOf(settings, files.value.build);
  const read = await readTree(await realpath(release), root.path, dockerfile);
  if (!read.ok) return succeed(unreadable(read.problem));
  const { tree, notes } = read.value;
  const choice = chooseBuild(tree, files.value, settings);
  const parts = {
    source,
    project: project.value,
    release,
    work,
    rootDirectory,
    root: root.path,
    tree,
    notes,
    choice,
  };
  return succeed({ ok: true, value: parts });
}

/** A file that cannot be used, as the failure of a deployment. */
function unreadable({ message, hint }: FileProblem): PreparedBuild {
  return { ok: false, failure: makeFailure("build_failed", "build", message, undefined, hint) };
}

async function writeFiles(
  context: CommandContext,
  { top, commit, isInPlace, changes }: Source,
): Promise<Result<{ readonly release: string; readonly work: WorkFolder | null }>> {
  if (isInPlace || commit === null) return succeed({ release: top, work: null });
  if (changes > 0)
    context.output.note(
      `${changes === 1 ? "1 file has changes" : `${changes} files have changes`} that are not committed. Pass --here to use the files as they are.`,
    );
  const work = await createWorkFolder();
  if (!work.ok) return work;
  const { path, release } = work.value;
  const missing = await exportSource(context, { ...commit, top }, release, path);
  if (!missing.ok) return missing;
  if (missing.value.length > 0)
    context.output.note(
      `These submodules are not checked out here, so their files are missing: ${missing.value.join(", ")}. Run git submodule update --init --recursive.`,
    );
  return succeed({ release, work: work.value });
}

/** The settings that are the project's own. */
function ownSettings(project: Project): ChosenSettings {
  const { automatic, framework, install_command, build_command, output_directory } = project;
  const { release_command, activate_command, processes, dockerfile } = project;
  return {
    dockerfile,
    release_command,
    activate_command,
    processes,
    ...(automatic.includes("framework") ? {} : { framework }),
    ...(automatic.includes("install_command") ? {} : { install_command }),
    ...(automatic.includes("build_command") ? {} : { build_command }),
    ...(automatic.includes("output_directory") ? {} : { output_directory }),
  };
}
