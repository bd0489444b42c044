import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { gitEnvironment } from "#agent/git/commands/git-environment.ts";
import { LOGIN_FILE, readRemote } from "#agent/git/commands/git-login.ts";
import { isolatedUploadPack, ownUploadPack } from "#agent/git/commands/upload-pack.ts";
import { isLocal, repositoryOf } from "#contract/addresses/repository-address.ts";
import { SHORTEST_USER_TOKEN } from "#contract/git-names.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { type DeployKey, ensureDeployKey } from "#agent/git/ssh/deploy-keys.ts";
import { knownHostsFiles, knownKeys } from "#agent/git/ssh/host-pins.ts";
import { type HostKey, type SshHost, sshHostOf } from "#agent/git/ssh/known-hosts.ts";
import { sshCommand } from "#agent/git/ssh/ssh-command.ts";
import { writeLogin } from "#agent/git/ssh/ssh-folder.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The project for which a repository is read. `name` becomes part of the comment of its key. */
export type KeyedProject = { readonly id: ProjectId; readonly name: string };

/** How git reads a repository: its environment, and facts for messages. */
export type RepositoryAccess = {
  readonly env: Readonly<Record<string, string>>;
  /** What git offers to the remote, to be used within a sentence. */
  readonly tried: string;
  /** The ssh host, and its host keys that were known before; `null` for other addresses and with a GIT_SSH_COMMAND. */
  readonly ssh: { readonly host: SshHost; readonly known: readonly HostKey[] } | null;
  /** The command that sends a repository on this server; `null` for other addresses. */
  readonly uploadPack: string | null;
  /** The user who reads a repository on this server, if it is not the agent's own. */
  readonly reader: string | null;
};

type AccessContext = Pick<AgentContext, "home" | "environment" | "policy">;
type ReaderContext = AccessContext & Pick<AgentContext, "isolation">;

/** Returns the deploy key of a project, and creates it if there is none. @throws if it cannot be written */
export function deployKeyOf({ home, policy }: AccessContext, { id, name }: KeyedProject): Promise<DeployKey> {
  const isShared = policy.deploy_keys === "server";
  const comment = `gantry${isShared ? "" : `-${slugOf(name)}`}@${slugOf(hostname())}`;
  return ensureDeployKey(home, isShared ? "server" : id, comment);
}

/**
 * Decides how git reads a repository. The user's GIT_SSH_COMMAND takes precedence. Otherwise ssh offers the keys of the
 * user's ssh agent, then the deploy key, then the user's default keys. The order matters, because a host that accepts a
 * key is not offered another.
 * @param marker identifies git's processes, and the files with logins, which `removeLogins` removes afterwards
 * @throws if a new deploy key cannot be written
 */
export async function prepareAccess(
  context: ReaderContext,
  project: KeyedProject,
  repository: string,
  marker: string,
): Promise<RepositoryAccess> {
  const { home, environment, policy } = context;
  const remote = { ssh: null, uploadPack: null, reader: null };
  if (isLocal(repository))
    return {
      ...remote,
      ...localReader(context, project.id),
      env: gitEnvironment(environment, marker),
      tried: "no login",
    };
  const host = sshHostOf(repository);
  if (host === null) {
    const env = gitEnvironment(environment, marker);
    const { login } = readRemote(repository);
    if (login === null) return { ...remote, env, tried: "no login" };
    const file = await writeLogin(home, marker, login);
    return { ...remote, env: { ...env, [LOGIN_FILE]: file }, tried: describeLogin(repository) };
  }
  if (environment["GIT_SSH_COMMAND"] !== undefined) {
    const tried = "the GIT_SSH_COMMAND of the agent's environment";
    return { ...remote, env: gitEnvironment(environment, marker), tried };
  }
  const key = await deployKeyOf(context, project);
  const userHome = environment["HOME"];
  const files = knownHostsFiles(home, userHome);
  const known = await knownKeys(files, host);
  const own = ownIdentities(userHome);
  const mayAskAgent = environment["SSH_AUTH_SOCK"] !== undefined;
  const ssh = sshCommand({
    identities: [key.path, ...own],
    mayAskAgent,
    knownHosts: files,
    pinsNewHost: policy.host_keys === "pin",
  });
  const others = [...(mayAskAgent ? ["the keys of SSH_AUTH_SOCK"] : []), ...own];
  return {
    ...remote,
    env: gitEnvironment(environment, marker, ssh),
    tried: [`the deploy key ${key.fingerprint}`, ...others].join(" and "),
    ssh: { host, known },
  };
}

/** Who sends a repository on this server. With isolation, the project's user, who must be able to read it. */
function localReader(
  { isolation }: ReaderContext,
  project: ProjectId,
): Pick<RepositoryAccess, "uploadPack" | "reader"> {
  return isolation.kind === "none"
    ? { uploadPack: ownUploadPack, reader: null }
    : { uploadPack: isolatedUploadPack(isolation.socketPath, project), reader: project };
}

/** The control plane moves an address's password to the secret, so a password here comes from the secret. */
function describeLogin(repository: string): string {
  const parsed = repositoryOf(repository);
  const { user = "", password = null } = (parsed.kind === "https" ? parsed.login : null) ?? {};
  if (password === null) return "the user name in the repository's address, without a password";
  const shown = user.length < SHORTEST_USER_TOKEN ? `\`${user}\`` : "in the repository's address";
  return `the project's GANTRY_REPOSITORY_TOKEN as the password of the user ${shown}`;
}

/** The keys by which a host was pinned since `prepareAccess`. */
export async function newlyPinned(
  { home, environment }: AccessContext,
  { ssh }: RepositoryAccess,
): Promise<readonly HostKey[]> {
  if (ssh === null || ssh.known.length > 0) return [];
  return knownKeys(knownHostsFiles(home, environment["HOME"]), ssh.host);
}

/** A sentence for each key that was pinned since `prepareAccess`. */
export async function describeNewHostKeys(
  context: AccessContext,
  access: RepositoryAccess,
): Promise<readonly string[]> {
  const keys = await newlyPinned(context, access);
  return keys.map(
    ({ type, fingerprint }) =>
      `first connection to ${access.ssh?.host}: its host key ${fingerprint} (${type}) is trusted from now on`,
  );
}

/** Text that is safe in the comment of a key, and on the pages of every git host. */
function slugOf(name: string): string {
  const slug = name.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
  return slug.slice(0, 64) || "project";
}

const OWN_KEYS = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** The default keys of the agent's user that exist. */
function ownIdentities(userHome: string | undefined): readonly string[] {
  if (userHome === undefined) return [];
  return OWN_KEYS.map((name) => join(userHome, ".ssh", name)).filter((path) => existsSync(path));
}
