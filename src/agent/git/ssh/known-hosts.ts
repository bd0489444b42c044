import { createHmac } from "node:crypto";

import { parseRepository } from "#contract/addresses/repository-address.ts";
import { sshFingerprint } from "#agent/git/ssh/openssh-key.ts";

/** A host as in known_hosts: its name in lower case, in brackets with a port other than 22. */
export type SshHost = string;

/** A key that a host is known by. */
export type KnownHostKey = { readonly type: string; readonly fingerprint: string };

/**
 * The host keys that these git hosts publish, so that a first connection cannot be intercepted. A test compares their
 * fingerprints. ssh prefers the key types that it knows of a host, so one key per host is enough.
 */
export const FORGE_HOSTS = `# Written by the agent. Pins of other hosts are in known_hosts.
github.com,[ssh.github.com]:443 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl
gitlab.com,[altssh.gitlab.com]:443 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf
bitbucket.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO
codeberg.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIVIC02vnjFyL+I4RHfvIGNtOgJMe769VTF1VR4EB3ZB
git.sr.ht ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMZvRd4EtM7R+IHVMWmDkVU3VLQTSwQDSAvW0t2Tkj60
ssh.dev.azure.com ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7Hr1oTWqNqOlzGJOfGJ4NakVyIzf1rXYd4d7wo6jBlkLvCA4odBlL0mDUyZ0/QUfTTqeu+tm22gOsv+VrVTMk6vwRU75gY/y9ut5Mb3bR5BV58dKXyq9A9UeB5Cakehn5Zgm6x1mKoVyf+FFn26iYqXJRgzIZZcZ5V6hrE0Qg39kZm4az48o0AUbf6Sp4SLdvnuMa2sVNwHBboS7EJkm57XQPVU3/QpyNLHbWDdzwtrlS+ez30S3AdYhLKEOxAG8weOnyrtLJAUen9mTkol8oII1edf7mWWbWVf0nBmly21+nZcmCTISQBtdcyPaEno7fFQMDD26/s0lfKob4Kw8H
`;

/** The ssh host of a repository's address, or `null` for an address of another kind. */
export function sshHostOf(repository: string): SshHost | null {
  const parsed = parseRepository(repository);
  if (!parsed.ok || (parsed.value.kind !== "ssh" && parsed.value.kind !== "scp")) return null;
  const name = parsed.value.host.replace(/^\[|\]$/g, "");
  return parsed.value.kind === "scp" || parsed.value.port === null ? name : `[${name}]:${parsed.value.port}`;
}

/** The keys by which these known_hosts files know a host: plain and hashed names, patterns, and no revoked keys. */
export function keysOf(host: SshHost, files: readonly string[]): readonly KnownHostKey[] {
  return files.flatMap(linesOf).flatMap((line) => (line.names.includes(host) ? [line.key] : []));
}

/** Removes a host's keys from a known_hosts file. */
export function withoutHost(host: SshHost, file: string): string {
  const lines = file.split("\n").filter((line) => !(readLine(line)?.names.includes(host) ?? false));
  return lines.join("\n");
}

/** The hosts of a known_hosts file without hashed names, with their keys, in the order of the file. */
export function hostsInFile(file: string): readonly { readonly host: SshHost; readonly key: KnownHostKey }[] {
  return linesOf(file).flatMap(({ names, key }) => names.shown.map((host) => ({ host, key })));
}

type Names = { readonly shown: readonly string[]; includes(host: SshHost): boolean };
type Line = { readonly names: Names; readonly key: KnownHostKey };

function linesOf(file: string): readonly Line[] {
  return file.split("\n").flatMap((text) => readLine(text) ?? []);
}

/** `null` for a comment, a revoked key and anything else that is not a host key. */
function readLine(text: string): Line | null {
  const words = text.trim().split(/\s+/);
  if (words[0] === "@cert-authority") words.shift();
  const [names = "", type = "", blob = ""] = words;
  if (names === "" || names.startsWith("#") || names.startsWith("@") || blob === "") return null;
  return { names: readNames(names), key: { type: shortType(type), fingerprint: sshFingerprint(blob) } };
}

function readNames(names: string): Names {
  const hashed = /^\|1\|([^|]+)\|([^|]+)$/.exec(names);
  if (hashed !== null) {
    const [, salt = "", hash] = hashed;
    const hashOf = (host: string) =>
      createHmac("sha1", Buffer.from(salt, "base64")).update(host).digest("base64");
    return { shown: [], includes: (host) => hashOf(host) === hash };
  }
  const patterns = names.toLowerCase().split(",");
  return {
    shown: patterns,
    includes: (host) =>
      patterns.some((one) => matches(host, one)) &&
      !patterns.some((one) => one.startsWith("!") && matches(host, one.slice(1))),
  };
}

function matches(host: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(host);
}

/** The name of a key type in ssh's own messages, such as ED25519. */
function shortType(type: string): string {
  return type
    .replace(/^(?:sk-)?(?:ssh|ecdsa-sha2)-/, "")
    .replace(/^nistp\d+$/, "ecdsa")
    .toUpperCase();
}
