import type { Failed } from "#client/answer.ts";
import type { ProjectId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { uploadArtifact } from "#cli/artifacts/upload-artifact.ts";
import { readUnsentChanges } from "#cli/builds/unsent-changes.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { stop } from "#cli/outcome.ts";
import { imageOption, readOrdered, wrongImage } from "#cli/commands/image-option.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { emergencyOption } from "#cli/session/emergency-option.ts";
import { findProject, type NamedId, shownName, usesLinkFile } from "#cli/session/find-named.ts";
import { commandLine, type Session, withSession } from "#cli/session/session.ts";
import { readHoldOutlook } from "#cli/session/read-hold-outlook.ts";
import { printStarted } from "#cli/session/print-started.ts";
import { acceptKeyOption } from "#cli/variables/trust-seal-keys.ts";
import { shellWord } from "#node/shell-quote.ts";
import { warningsOption } from "#cli/views/log-printer.ts";

export const deploy = defineCommand({
  name: "deploy",
  summary: "Start a deployment",
  details: [
    "Deploys the project's branch unless --branch or --commit is given. With --follow, the exit code is 0 only if the deployment is live at the end. A lost connection is reopened. Ctrl-C ends the command, not the deployment.",
    "If the repository of the project has images (docker://HOST/NAME), the branch is a tag, and the commit the digest of an image. --image is both: with a tag alone, the image that it names now is deployed.",
    "With --artifact, the servers take a build that was made here, such as in a CI job, and neither fetch nor build. It is the folder of the repository after the build, or the folder to publish if no setting names the root directory or the output directory. It is encrypted on this machine for the project's servers. The commit is --commit, the commit of the CI job, or the checked out commit. The project must allow it: gantry projects set --artifact-uploads on.",
  ],
  words: {},
  options: {
    branch: { kind: "text", short: "b", value: "NAME", help: "Branch or tag to deploy" },
    commit: {
      kind: "text",
      short: "c",
      value: "HASH",
      help: "Commit to deploy, at least 7 characters, or the full digest of an image",
    },
    ...imageOption,
    "clear-cache": {
      kind: "flag",
      help: "Delete the kept dependencies and build caches of the project first",
    },
    artifact: {
      kind: "text",
      value: "PATH",
      help: "Deploy this build instead of building on the server: a folder, or a .tar, .tar.gz or .tar.zst",
    },
    ...acceptKeyOption,
    follow: { kind: "flag", short: "f", help: "Show the log until the deployment ends" },
    ...emergencyOption,
    ...warningsOption,
  },
  examples: [
    "deploy --follow",
    'deploy --commit "$(git rev-parse HEAD)" --follow',
    "deploy -p shop -b next",
    "deploy --clear-cache",
    "deploy --image ghcr.io/acme/shop:v1.4 --follow",
    "deploy --artifact . --follow",
    'deploy --emergency "Checkout is down" --follow',
  ],
  run: withSession(async (session, { options }) => {
    const ordered = readOrdered(options);
    if (!ordered.ok) return ordered;
    const { branch, commit, name } = ordered.value;
    // Read during the requests, because it must not make the start take longer.
    const isOfBranch = commit === null && options.artifact === null;
    const unsent = isOfBranch && usesLinkFile(session) ? readUnsentChanges(session, branch) : null;
    const project = await findProject(session);
    if (!project.ok) return project;
    const wrong = name === null ? null : await findWrongImage(session, project.value.id, name);
    if (wrong !== null) return stop("usage", wrong);
    const reading = options.emergency === null ? readHoldOutlook(session, project.value.id) : null;
    const { artifact: path, "accept-key": acceptKeys } = options;
    if (path === null && acceptKeys.length > 0) return stop("usage", "--accept-key is for --artifact.");
    if (path !== null && options["clear-cache"])
      return stop("usage", "--clear-cache is for builds on the server. Omit it with --artifact.");
    const uploaded =
      path === null
        ? succeed(null)
        : await uploadArtifact(session, { projectId: project.value.id, path, commit, acceptKeys });
    if (!uploaded.ok) return withUploadHint(session, project.value, uploaded);
    const started = await session.client.startDeployment({
      params: { project_id: project.value.id },
      body: givenFields({
        branch,
        commit: uploaded.value?.commit ?? commit,
        artifact: uploaded.value?.artifact ?? null,
        clear_cache: options["clear-cache"] || null,
        emergency: options.emergency,
      }),
    });
    const { follow, warnings } = options;
    const note = await unsent;
    if (started.ok && note !== null) session.output.note(note);
    return printStarted(session, started.ok ? started : withUploadHint(session, project.value, started), {
      what: `Deployment of ${shownName(session, project.value)}`,
      follow,
      warnings,
      outlook: started.ok ? await reading : null,
    });
  }),
});

/** Compares the name of an image with the project's repository, if the token may read that. */
async function findWrongImage(session: Session, id: ProjectId, name: string): Promise<string | null> {
  if (!(await mayCall(session, "getProject"))) return null;
  const project = await session.client.getProject({ params: { project_id: id } });
  return project.ok ? wrongImage(name, project.value.repository) : null;
}

/** The refusal of a build that was made elsewhere, with the command that allows it. Others stay as they are. */
function withUploadHint(session: Session, project: NamedId<ProjectId>, failed: Failed): Failed {
  const { problem } = failed;
  if (problem.code !== "artifact_not_allowed") return failed;
  const name = shellWord(shownName(session, project));
  const command = commandLine(session, `projects set ${name} --artifact-uploads on`);
  return { ...failed, problem: { ...problem, detail: `${problem.detail} To allow it: ${command}` } };
}
