import { rm } from "node:fs/promises";

import { listRemote, listRemoteBranches } from "#agent/git/commands/git.ts";
import { chooseRef, errorLine, readRefs } from "#agent/git/commands/read-git-output.ts";
import { adviseBranch, readRemoteBranches, setBranch } from "#agent/git/commands/remote-branches.ts";
import { readRemoteFailure, type RemoteFailure } from "#agent/git/commands/remote-failure.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { checkImages } from "#agent/policy/check-containers.ts";
import { checkBranch, checkRepository, isGitConfined } from "#agent/policy/check-policy.ts";
import { refuseOwnFiles } from "#agent/policy/own-files.ts";
import { readingMarker } from "#agent/git/mirror/reading-marker.ts";
import type { ProcessEnd } from "#build/process/command.ts";
import { runProcess } from "#build/process/run-process.ts";
import { sshAdvice } from "#agent/git/failure-advice.ts";
import {
  describeNewHostKeys,
  newlyPinned,
  prepareAccess,
  type RepositoryAccess,
} from "#agent/git/repository-access.ts";
import { createTestFolder, removeLogins } from "#agent/git/ssh/ssh-folder.ts";
import type { ToAgent } from "#contract/agent-protocol.ts";
import type {
  HostKey,
  RepositoryTestCode,
  RepositoryTested,
} from "#contract/endpoints/projects/repository-access.ts";
import { testImages } from "#agent/images/read-outside-run.ts";
import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { openRepositoryToken } from "#agent/secrets/open-variables.ts";
import { withToken } from "#agent/secrets/repository-token.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { createMask } from "#contract/mask.ts";
import { repositoryPage } from "#contract/public-paths.ts";

/** The maximum time of a test. */
const TEST_MS = 10_000;
/** The maximum length of git's output. Three lines are enough for a branch. */
const MAX_OUTPUT = 64 * 1024;

type Test = Extract<ToAgent, { type: "test_repository" }>;

/**
 * Lists a branch of a repository, with the credentials of a deployment and within the policy. git runs outside of any
 * repository, in an empty folder, and only lists refs. The texts of the result contain no password of the address.
 */
export async function testRepository(
  context: AgentContext,
  { project_id, project_name, repository: address, branch, token }: Test,
  stopped: AbortSignal,
): Promise<RepositoryTested> {
  const folderOfProject = projectFolder(context.home, project_id);
  const opened =
    token === undefined
      ? null
      : await openRepositoryToken(folderOfProject, context.sealKey, project_id, token);
  const repository = withToken(address, opened?.ok === true ? opened.value : null);
  const mask = maskSecrets(opened?.ok === true ? [opened.value] : [], createMask(repository));
  const fail = (code: RepositoryTestCode, message: string, tried: string): RepositoryTested => ({
    ok: false,
    code,
    message: mask(message).slice(0, 2000).toWellFormed(),
    tried: mask(tried).slice(0, 1000).toWellFormed(),
  });
  if (opened?.ok === false) return fail("failed", opened.message, "nothing");
  const refusal =
    checkRepository(context, repository) ??
    checkImages(context.policy, repository) ??
    checkBranch(context.policy, branch) ??
    (await refuseOwnFiles(context, repository));
  if (refusal !== null) return fail("refused_by_policy", refusal, "nothing");

  if (isImageRepository(repository)) {
    const secrets = opened === null ? [] : [opened.value];
    const limits = { seconds: TEST_MS / 1000, stopped };
    const tested = await testImages(
      context,
      { project_id, branch },
      { ok: true, repository, secrets },
      limits,
    );
    return tested.ok ? tested : fail(tested.code, tested.message, tested.tried);
  }

  const project = { id: project_id, name: project_name };
  const marker = readingMarker(context, "test");
  const access = await prepareAccess(context, project, repository, marker);
  const folder = await createTestFolder(context.home);
  try {
    const place = {
      remote: repository,
      uploadPack: access.uploadPack,
      isConfined: isGitConfined(context.policy),
      env: access.env,
    };
    const signal = AbortSignal.any([AbortSignal.timeout(TEST_MS), stopped]);
    const refs = [`refs/heads/${branch}`, `refs/tags/${branch}`, `refs/tags/${branch}^{}`];
    const ran = await runGit(context, listRemote(place, folder, refs), signal);
    if (ran.end.kind === "stopped") {
      const message = `the repository's host did not answer within ${TEST_MS / 1000} seconds`;
      return fail("timed_out", message, access.tried);
    }
    const code = ran.end.kind === "exited" ? ran.end.code : -1;
    const found = code === 0 ? chooseRef(readRefs(ran.stdout), branch) : null;
    if (found !== null)
      return {
        ok: true,
        branch,
        commit_sha: found.sha,
        tried: access.tried,
        host_key: await hostKeyOf(context, access),
      };
    if (code === 0 || code === 2) {
      const listed = await runGit(context, listRemoteBranches(place, folder), signal);
      // The server has read the repository, even if this took too long.
      const isListed = listed.end.kind === "exited" && listed.end.code === 0;
      const branches = isListed ? readRemoteBranches(listed.stdout) : null;
      const isEmpty = branches?.isEmpty === true;
      const message = isEmpty
        ? "the repository can be read, and is empty: push a commit to it"
        : `the repository can be read, but has no branch or tag \`${branch}\``;
      const advice = branches === null ? "" : adviseBranch(branches, branch, setBranch(project_name));
      return fail("branch_not_found", advice === "" ? message : `${message}\n${advice}`, access.tried);
    }
    const failure = readRemoteFailure(ran.stderr);
    const line = errorLine(ran.stderr);
    const advice = sshAdvice(failure, access, repositoryPage(context.connection.url, project_id));
    const message = [
      line === "" ? "git could not read the repository" : line,
      ...(advice === null ? [] : [advice]),
      // ssh trusts a host before the host refuses the deploy key.
      ...(await describeNewHostKeys(context, access)),
    ].join("\n");
    return fail(codeOf(failure), message, access.tried);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await removeLogins(context.home, marker);
  }
}

function codeOf({ kind }: RemoteFailure): RepositoryTestCode {
  return kind === "other" || kind === "no_ssh" ? "failed" : kind;
}

type Ran = { readonly end: ProcessEnd; readonly stdout: string; readonly stderr: string };

async function runGit(
  { settings }: AgentContext,
  command: Parameters<typeof runProcess>[0],
  signal: AbortSignal,
): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const { end } = await runProcess(command, {
    output: {
      // A hostile server may send refs without end.
      stdout: (chunk) => {
        if (stdout.length < MAX_OUTPUT) stdout += chunk.toString("utf8");
        return null;
      },
      stderr: (chunk) => {
        stderr = `${stderr}${chunk.toString("utf8")}`.slice(-MAX_OUTPUT);
        return null;
      },
    },
    channel: { kind: "pipes" },
    // What an agent that was killed left is found by its marker.
    ledger: { opened: () => undefined, closed: () => undefined },
    signal,
    leftovers: "kill",
    stopGraceMs: Math.min(settings.stopGraceMs, 1_000),
    outputGraceMs: settings.outputGraceMs,
  });
  return { end, stdout, stderr };
}

async function hostKeyOf(context: AgentContext, access: RepositoryAccess): Promise<HostKey | null> {
  if (access.ssh === null) return null;
  const [known] = access.ssh.known;
  const [pinned] = known === undefined ? await newlyPinned(context, access) : [];
  const key = known ?? pinned;
  return key === undefined ? null : { host: access.ssh.host, ...key, is_new: known === undefined };
}
