/**
 * Why git could not read a remote. `access_denied`: the remote accepted no key or login, or hides the repository from
 * them. `host_key_changed`: the host is known by another key. `host_key_unknown`: the host is not known, and new hosts
 * are not accepted. `no_ssh`: the server has no ssh program.
 */
export type RemoteFailure =
  | { readonly kind: "access_denied" | "host_key_unknown" | "unreachable" | "no_ssh" | "other" }
  /** `sent`: the fingerprint and the type of the key that the host sent, if ssh printed them. */
  | { readonly kind: "host_key_changed"; readonly sent: string | null };

const DENIED =
  /Permission denied|Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|access denied|Access denied|not have permission|Repository not found|repository .* not found|(?:Cannot|could not) find repository|could not be found|permission denied for|Unauthorized|Forbidden|returned error: 40[13]|Invalid username or/i;

const UNREACHABLE =
  /Could not resolve|Name or service not known|Temporary failure in name resolution|Connection (?:timed out|refused|reset|closed)|Operation timed out|No route to host|Network is unreachable|Failed to connect|Couldn't connect|server certificate|SSL certificate/i;

/** Recognizes the messages of git, ssh and git hosts. They are English, because git gets the locale C. */
export function readRemoteFailure(stderr: string): RemoteFailure {
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(stderr)) {
    const sent = /fingerprint for the (\S+) key sent by the remote host is\s+(SHA256:[\w+/]+)/.exec(stderr);
    return { kind: "host_key_changed", sent: sent === null ? null : `${sent[2]} (${sent[1]})` };
  }
  if (/Host key verification failed/.test(stderr)) return { kind: "host_key_unknown" };
  if (/cannot run ssh: No such file|ssh: (?:command )?not found/.test(stderr)) return { kind: "no_ssh" };
  if (DENIED.test(stderr)) return { kind: "access_denied" };
  return { kind: UNREACHABLE.test(stderr) ? "unreachable" : "other" };
}
