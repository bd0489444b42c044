import { parseRepository } from "#contract/addresses/repository-address.ts";
import { addressOf } from "#contract/addresses/web-address.ts";
import { readAddress } from "#contract/forge.ts";
import type { CommitStatusSettings, StatusForge } from "#contract/endpoints/webhooks/settings.ts";

/** The API of a forge. `url`: without a slash at its end. */
export type ForgeApi = {
  readonly url: string;
  /** The host of its pages and repositories. */
  readonly host: string;
  /** The path of its pages, if it is not at the root of its host. */
  readonly path: readonly string[];
};

const publicApis = {
  github: "https://api.github.com",
  gitlab: "https://gitlab.com/api/v4",
  gitea: "https://codeberg.org/api/v1",
  bitbucket: "https://api.bitbucket.org/2.0",
} as const satisfies Record<StatusForge, string>;

/** Where the API is below the address of the forge. */
const apiPaths = {
  github: "/api/v3",
  gitlab: "/api/v4",
  gitea: "/api/v1",
  bitbucket: "/2.0",
} as const satisfies Record<StatusForge, string>;

/**
 * The API that the settings name: its own address, or the address of the forge's pages. Never follows from a
 * repository's address: the token would be sent to any host that a project names.
 */
export function forgeApi({ forge, api_url: given }: CommitStatusSettings): ForgeApi {
  const { origin, hostname, path: written } = addressOf(given ?? publicApis[forge]);
  const trimmed = written.replace(/\/+$/, "");
  const isApiHost = hostname.startsWith("api.");
  const path = trimmed.endsWith(apiPaths[forge]) ? trimmed.slice(0, -apiPaths[forge].length) : trimmed;
  // A host such as api.github.com has no path of its own; Bitbucket's has a version.
  const apiPath = isApiHost && forge !== "bitbucket" ? "" : apiPaths[forge];
  return {
    url: `${origin}${path}${apiPath}`,
    host: hostname.replace(/^api\./, ""),
    path: path.split("/").filter((part) => part !== ""),
  };
}

/**
 * The path of a repository at a forge, such as `["alice", "site"]`; null if it is not there. A repository on the server
 * itself, `file:///srv/git/alice/site.git`, counts as the forge's if the settings name the forge.
 */
export function repositoryPath(
  repository: string,
  api: ForgeApi,
  { forge, api_url: given }: CommitStatusSettings,
): readonly string[] | null {
  const place = readAddress(repository);
  if (place === null) return given === null ? null : localPath(repository);
  if (!isSameSite(place.host, api.host)) return null;
  const isBelow = api.path.every((part, at) => part === place.path[at]);
  // ssh addresses do not have the path of the pages.
  const path = isBelow ? place.path.slice(api.path.length) : place.path;
  const isWhole = forge === "gitlab" ? path.length >= 2 : path.length === 2;
  return isWhole ? path : null;
}

/** Forges often have another host for ssh: `ssh.example.com` beside `example.com`. */
function isSameSite(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

function localPath(repository: string): readonly string[] | null {
  const parsed = parseRepository(repository);
  if (!parsed.ok || parsed.value.kind !== "local") return null;
  const path = parsed.value.path.replace(/\/+$/, "").replace(/\.git$/, "");
  const parts = path.split("/").slice(-2);
  const isPlain = parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part));
  return parts.length === 2 && isPlain ? parts : null;
}
