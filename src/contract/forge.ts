import { parseRepository, type RepositoryAddress } from "#contract/addresses/repository-address.ts";
import type { Forge } from "#contract/endpoints/projects/repository-access.ts";

/** Where a person adds a deploy key to a repository. */
export type KeySettings = {
  readonly forge: Forge;
  /** The page for it, if the repository's address tells it. */
  readonly settingsUrl: string | null;
  /** One sentence each. */
  readonly steps: readonly string[];
};

type Known = { readonly forge: Exclude<Forge, "other">; readonly site: string; readonly page: string };

const hosts: ReadonlyMap<string, Known> = new Map([
  ["github.com", { forge: "github", site: "github.com", page: "/settings/keys/new" }],
  ["ssh.github.com", { forge: "github", site: "github.com", page: "/settings/keys/new" }],
  ["gitlab.com", { forge: "gitlab", site: "gitlab.com", page: "/-/settings/repository" }],
  ["altssh.gitlab.com", { forge: "gitlab", site: "gitlab.com", page: "/-/settings/repository" }],
  ["bitbucket.org", { forge: "bitbucket", site: "bitbucket.org", page: "/admin/access-keys/" }],
  ["altssh.bitbucket.org", { forge: "bitbucket", site: "bitbucket.org", page: "/admin/access-keys/" }],
  ["codeberg.org", { forge: "gitea", site: "codeberg.org", page: "/settings/keys" }],
  ["gitea.com", { forge: "gitea", site: "gitea.com", page: "/settings/keys" }],
]);

const stepsFor: Readonly<Record<Forge, readonly string[]>> = {
  github: [
    "Open the repository's Settings → Deploy keys, and choose “Add deploy key”.",
    "Paste the public key. Leave “Allow write access” off.",
  ],
  gitlab: [
    "Open the project's Settings → Repository → Deploy keys, and choose “Add new key”.",
    "Paste the public key. Leave “Grant write permissions to this key” off.",
  ],
  bitbucket: ["Open Repository settings → Access keys, and choose “Add key”.", "Paste the public key."],
  gitea: [
    "Open the repository's Settings → Deploy Keys, and choose “Add Deploy Key”.",
    "Paste the public key. Leave write access off.",
  ],
  other: [
    "Open the settings of the repository on your git host, and look for its deploy keys or access keys. GitHub and Gitea: Settings → Deploy keys. GitLab: Settings → Repository → Deploy keys. Bitbucket: Repository settings → Access keys.",
    "Add the public key with read access only. On a git server without such settings, add it to the file authorized_keys of the ssh user.",
  ],
};

/** Where to add a deploy key to the repository with this address, and how. */
export function keySettingsOf(repository: string): KeySettings {
  const address = readAddress(repository);
  const known = address === null ? undefined : hosts.get(address.host);
  if (address === null || known === undefined)
    return { forge: "other", settingsUrl: null, steps: stepsFor.other };
  const { forge, site, page } = known;
  const settingsUrl = isPathOf(forge, address.path)
    ? `https://${site}/${address.path.join("/")}${page}`
    : null;
  return { forge, settingsUrl, steps: stepsFor[forge] };
}

/** A repository at a public git host, with the address of its page in a browser. */
export type KnownRepository = { readonly forge: Exclude<Forge, "other">; readonly page: string };

/** The repository with this address, without the address's login; `null` unless a public git host has it. */
export function knownRepository(repository: string): KnownRepository | null {
  const address = readAddress(repository);
  const known = address === null ? undefined : hosts.get(address.host);
  if (address === null || known === undefined || !isPathOf(known.forge, address.path)) return null;
  return { forge: known.forge, page: `https://${known.site}/${address.path.join("/")}` };
}

/** Only GitLab has groups in groups. */
function isPathOf(forge: Forge, path: readonly string[]): boolean {
  return forge === "gitlab" ? path.length >= 2 : path.length === 2;
}

/**
 * The address of the repository's page in a browser: for the public git hosts, and for an https address of any other.
 * `null` if the address does not tell it.
 */
export function repositoryPageAtForge(repository: string): string | null {
  const place = readAddress(repository);
  if (place === null) return null;
  const site = hosts.get(place.host)?.site ?? httpsHost(repository);
  return site === null ? null : `https://${site}/${place.path.join("/")}`;
}

/** The host of an https address, with a port other than the default one; null for other addresses. */
function httpsHost(repository: string): string | null {
  const parsed = parseRepository(repository);
  return parsed.ok && parsed.value.kind === "https" ? parsed.value.address.host : null;
}

/**
 * The host that gets the project's token as a password, with a port other than the default one: of an https address, and of
 * a repository of images. null for other addresses, which use no token.
 */
export function tokenHost(repository: string): string | null {
  const parsed = parseRepository(repository);
  return parsed.ok && parsed.value.kind === "docker" ? parsed.value.host : httpsHost(repository);
}

/** Whether git reads the repository over ssh, with a deploy key. */
export function isOverSsh(repository: string): boolean {
  const parsed = parseRepository(repository);
  return parsed.ok && (parsed.value.kind === "ssh" || parsed.value.kind === "scp");
}

/** Where a repository is: `example.com`, and `["alice", "site"]`. */
export type RepositoryPlace = { readonly host: string; readonly path: readonly string[] };

/** The host and the path of the https or ssh address of a git repository; `null` for any other, and for a path that is not plain. */
export function readAddress(repository: string): RepositoryPlace | null {
  const parsed = parseRepository(repository);
  const place = parsed.ok && isAtForge(parsed.value) ? placeOf(parsed.value) : null;
  return place?.path.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part)) === true ? place : null;
}

type AtForge = Exclude<RepositoryAddress, { readonly kind: "local" | "docker" }>;

function isAtForge(address: RepositoryAddress): address is AtForge {
  return address.kind !== "local" && address.kind !== "docker";
}

function placeOf(remote: AtForge): RepositoryPlace {
  if (remote.kind !== "https") return { host: remote.host, path: partsOf(remote.path) };
  const { hostname, path, query } = remote.address;
  return { host: hostname, path: partsOf(path + query) };
}

function partsOf(path: string): readonly string[] {
  return withoutEnd(path.replace(/^\/+/, "")).split("/");
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "").replace(/\.git$/, "");
}

/** Whether two addresses lead to the same repository, over https or ssh, with or without a login. */
export function isSameRepository(one: string, other: string): boolean {
  return one === other || repositoryKey(one) === repositoryKey(other);
}

/** The same text for every address of a repository, over https or ssh, with or without a login. */
export function repositoryKey(repository: string): string {
  const parsed = parseRepository(repository);
  if (!parsed.ok) return repository;
  if (parsed.value.kind === "local") return withoutEnd(parsed.value.path);
  // Some hosts have git repositories and images with the same path.
  if (parsed.value.kind === "docker")
    return `docker://${parsed.value.place.replace(/^([^/:]+):443\//, "$1/")}`;
  const place = placeOf(parsed.value);
  // The git hosts ignore case in their paths.
  const site = hosts.get(place.host)?.site ?? place.host;
  return `${site}/${place.path.join("/")}`.toLowerCase();
}
