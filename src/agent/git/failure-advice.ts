import type { RemoteFailure } from "#agent/git/commands/remote-failure.ts";
import { FORGE_HOSTS, keysOf, type HostKey, type SshHost } from "#agent/git/ssh/known-hosts.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import type { RepositoryAccess } from "#agent/git/repository-access.ts";

/**
 * What a person can do about a repository that git could not read, as sentences. `null`: git's message is enough.
 * @param stepsUrl the page with the public key and the steps to add it
 */
export function adviceFor(
  failure: RemoteFailure,
  { tried, ssh, reader }: RepositoryAccess,
  stepsUrl: string,
): string | null {
  if (reader !== null)
    return `The project's own user, ${reader}, reads it: give this user the right to. It cannot be in /home, /root or /tmp, which projects do not see.`;
  switch (failure.kind) {
    case "access_denied":
      if (tried.includes(REPOSITORY_TOKEN))
        return `Tried ${tried}. Check that the token is valid and may read the repository. If the host expects another user name, write it in the address, as in https://USER@host/path. Or use the ssh address with the project's deploy key: ${stepsUrl}`;
      return ssh === null
        ? `Tried ${tried}. If the repository is private, set the secret GANTRY_REPOSITORY_TOKEN, or use its ssh address with the project's deploy key: ${stepsUrl}`
        : `Tried ${tried}. Add the deploy key to the repository with read access: ${stepsUrl}`;
    case "host_key_changed":
      return ssh === null ? null : describeChange(ssh.host, ssh.known, failure.sent);
    case "host_key_unknown":
      return ssh === null
        ? null
        : `The host key of ${ssh.host} is not known, and this server's policy (host_keys) accepts no new ones. Add its key to /etc/ssh/ssh_known_hosts.`;
    case "no_ssh":
      return "This server has no ssh. Install it, for example with: apt-get install openssh-client";
    case "unreachable":
    case "other":
      return null;
  }
}

function describeChange(host: SshHost, known: readonly HostKey[], sent: string | null): string {
  const pinned = known.map(({ type, fingerprint }) => `${fingerprint} (${type})`).join(", ");
  const now = `it now sends ${sent ?? "another key"}`;
  const isBuiltIn = keysOf(host, [FORGE_HOSTS]).length > 0;
  const remedy = isBuiltIn
    ? "Something between this server and the host may be reading the connection. If the host has published a new key, update the agent."
    : `Something between this server and the host may be reading the connection. If the host's owner replaced the key, run on the server: gantry-agent forget-host '${host}'`;
  return `The host key of ${host} has changed: it is known by ${pinned}, and ${now}. ${remedy}`;
}
