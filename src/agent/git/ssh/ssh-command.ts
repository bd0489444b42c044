/** How git's ssh reaches a host. */
export type SshAccess = {
  /** The private keys to offer, in order. */
  readonly identities: readonly string[];
  /** Whether the keys of an ssh agent (SSH_AUTH_SOCK) may be offered too. */
  readonly mayAskAgent: boolean;
  /** Files with known host keys. ssh adds new ones to the first. */
  readonly knownHosts: readonly string[];
  /** Whether to add the key of a host that is not known yet. Otherwise the connection is refused. */
  readonly pinsNewHost: boolean;
};

/** The command line for GIT_SSH_COMMAND. git passes it to a shell, so paths are quoted. */
export function sshCommand({ identities, mayAskAgent, knownHosts, pinsNewHost }: SshAccess): string {
  const files = knownHosts.map(inOption).join(" ");
  const options = [
    "BatchMode=yes",
    ...(mayAskAgent ? [] : ["IdentitiesOnly=yes"]),
    `UserKnownHostsFile=${files}`,
    `StrictHostKeyChecking=${pinsNewHost ? "accept-new" : "yes"}`,
    "UpdateHostKeys=no",
    // Pins must be found again by the host's name.
    "HashKnownHosts=no",
    "CheckHostIP=no",
  ];
  // Not `-i`, which does not replace tokens when it looks whether the file exists.
  const keys = identities.map((path) => `IdentityFile=${inOption(path)}`);
  return ["ssh", ...[...options, ...keys].flatMap((option) => ["-o", quoted(option)])].join(" ");
}

/** A path in a value of ssh's configuration, where spaces separate words and `%` begins a token. */
function inOption(path: string): string {
  return `"${path.replaceAll("%", "%%")}"`;
}

function quoted(word: string): string {
  return /^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
