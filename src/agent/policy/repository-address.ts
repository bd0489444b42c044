/**
 * The parts of a repository's address, to compare them. `kind` is its form: `git@host:path` starts at the user's home
 * and `ssh://host/path` at the root, so they are different places. `user` is compared for ssh only; `path` has no
 * `.git`.
 */
export type RepositoryAddress = {
  readonly kind: "https" | "ssh" | "scp" | "local";
  readonly user: string;
  readonly host: string;
  readonly port: string;
  readonly path: readonly string[];
};

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;
const defaultPorts = { https: "443", ssh: "22" } as const;

/**
 * Parses an address as git and curl would. An address that they could read differently is `null`, and so is a path
 * with `..` or another part that leads elsewhere.
 * @param role a `pattern` may use `*` for one part of the path and `**` for the rest, and must have no password
 */
export function parseRepository(text: string, role: "address" | "pattern"): RepositoryAddress | null {
  // Only ASCII, so no look-alike letters; no backslashes, queries or fragments.
  if (!/^[!-~]+$/.test(text) || /[\\?#"'`<>^{|}]/.test(text)) return null;
  const local = /^(?:file:\/\/)?(\/.*)$/.exec(text);
  if (local !== null) return withPath({ kind: "local", user: "", host: "", port: "" }, local[1] ?? "", role);
  const url = /^(https|ssh):\/\/(?:([^@/]*)@)?([^@/]+)(\/.*)$/.exec(text);
  if (url !== null) return parseUrl(url, role);
  const scp = /^([\w.-]+)@([a-zA-Z0-9.-]+):([^:]+)$/.exec(text);
  if (scp === null) return null;
  const [, user = "", host = "", path = ""] = scp;
  if (!HOST.test(host.toLowerCase())) return null;
  // A path from the home folder starts with `~`, to differ from the same path from the root.
  const start = path.startsWith("/") ? "" : "~/";
  return withPath({ kind: "scp", user, host: host.toLowerCase(), port: "" }, `/${start}${path}`, role);
}

function parseUrl(match: RegExpExecArray, role: "address" | "pattern"): RepositoryAddress | null {
  const [, scheme, userInfo = "", authority = "", path = ""] = match;
  const kind = scheme === "https" ? "https" : "ssh";
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority);
  const host = parts?.[1]?.toLowerCase() ?? "";
  if (!HOST.test(host)) return null;
  if (role === "pattern" && (kind === "https" ? userInfo !== "" : userInfo.includes(":"))) return null;
  const port = parts?.[2] === undefined ? defaultPorts[kind] : String(Number(parts[2]));
  // With https, the user name is not part of the location.
  return withPath({ kind, user: kind === "https" ? "" : userInfo, host, port }, path, role);
}

function withPath(
  place: Omit<RepositoryAddress, "path">,
  text: string,
  role: "address" | "pattern",
): RepositoryAddress | null {
  const path: string[] = [];
  for (const raw of text.replace(/\/+$/, "").split("/").slice(1)) {
    const part = place.kind === "local" ? raw : decode(raw);
    if (part === null || part === "" || part === "." || part === "..") return null;
    if (role === "address" ? part.includes("*") : part !== "*" && part !== "**" && part.includes("*"))
      return null;
    path.push(part);
  }
  const last = path.at(-1);
  if (last === undefined) return null;
  if (path.slice(0, -1).includes("**")) return null;
  const bare = last.replace(/\.git$/, "");
  return bare === "" ? null : { ...place, path: [...path.slice(0, -1), bare] };
}

/** @returns `null` for a part that would change its meaning if it were decoded again */
function decode(part: string): string | null {
  try {
    const decoded = decodeURIComponent(part);
    return /^[!-~]+$/.test(decoded) && !/[/\\%]/.test(decoded) ? decoded : part === "" ? "" : null;
  } catch {
    return null;
  }
}

/** Whether an address matches a pattern. Both must parse. Paths are compared case-sensitively. */
export function matchesPattern(text: string, pattern: string): boolean {
  const address = parseRepository(text, "address");
  const wanted = parseRepository(pattern, "pattern");
  if (address === null || wanted === null) return false;
  if (address.kind !== wanted.kind || address.user !== wanted.user) return false;
  if (address.host !== wanted.host || address.port !== wanted.port) return false;
  const isOpen = wanted.path.at(-1) === "**";
  const fixed = isOpen ? wanted.path.slice(0, -1) : wanted.path;
  if (isOpen ? address.path.length <= fixed.length : address.path.length !== fixed.length) return false;
  return fixed.every((part, index) => part === "*" || part === address.path[index]);
}
