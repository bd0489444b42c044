import { isImageRepository, parseRepository } from "#contract/addresses/repository-address.ts";

/**
 * The parts of a repository's address that a policy compares. `kind` is its form: `git@host:path` starts at the user's
 * home and `ssh://host/path` at the root, so they are different places. `user` is compared for ssh only; `path` has no
 * `.git`.
 */
export type RepositoryLocation = {
  readonly kind: "https" | "docker" | "ssh" | "scp" | "local";
  readonly user: string;
  readonly host: string;
  readonly port: string;
  readonly path: readonly string[];
};

const defaultPorts = { https: "443", ssh: "22" } as const;

/**
 * Reads where a repository is. An address with a character that another program could read differently is `null`, and so
 * is a path with `..` or another part that leads elsewhere.
 * @param role a `pattern` may use `*` for one part of the path and `**` for the rest, and must have no password
 */
export function locate(text: string, role: "address" | "pattern"): RepositoryLocation | null {
  // Only ASCII, so no look-alike letters; no queries or fragments.
  if (!/^[!-~]+$/.test(text) || /[?#"'`<>^{|}]/.test(text)) return null;
  const isPattern = role === "pattern" && isImageRepository(text);
  const parsed = parseRepository(isPattern ? text.replaceAll("*", "x") : text);
  if (!parsed.ok) return null;
  const { value } = parsed;
  switch (value.kind) {
    case "local":
      return withPath({ kind: "local", user: "", host: "", port: "" }, value.path, role);
    case "scp": {
      // A path from the home folder starts with `~`, to differ from the same path from the root.
      const start = value.path.startsWith("/") ? "" : "~/";
      const { kind, user, host } = value;
      return withPath({ kind, user, host, port: "" }, `/${start}${value.path}`, role);
    }
    case "ssh": {
      const { kind, login, host, port } = value;
      if (role === "pattern" && login !== null && login.password !== null) return null;
      const user = login?.user ?? "";
      return withPath({ kind, user, host, port: port ?? defaultPorts.ssh }, `/${value.path}`, role);
    }
    case "docker": {
      if (role === "pattern" && value.login !== null) return null;
      const [, host = value.host, port = ""] = /^(.*):(\d+)$/.exec(value.host) ?? [];
      // Without the host, whose form is the same in an address and in a pattern.
      const path = isPattern ? text.replace(/^docker:\/\/[^/]*/, "") : `/${value.path}`;
      return withPath({ kind: "docker", user: "", host, port: port || defaultPorts.https }, path, role);
    }
    case "https": {
      if (role === "pattern" && value.login !== null) return null;
      const { hostname: host, port, path } = value.address;
      // The user name is not part of the location.
      return withPath({ kind: "https", user: "", host, port: port || defaultPorts.https }, path, role);
    }
  }
}

function withPath(
  place: Omit<RepositoryLocation, "path">,
  text: string,
  role: "address" | "pattern",
): RepositoryLocation | null {
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
  const address = locate(text, "address");
  const wanted = locate(pattern, "pattern");
  if (address === null || wanted === null) return false;
  if (address.kind !== wanted.kind || address.user !== wanted.user) return false;
  if (address.host !== wanted.host || address.port !== wanted.port) return false;
  const isOpen = wanted.path.at(-1) === "**";
  const fixed = isOpen ? wanted.path.slice(0, -1) : wanted.path;
  if (isOpen ? address.path.length <= fixed.length : address.path.length !== fixed.length) return false;
  return fixed.every((part, index) => part === "*" || part === address.path[index]);
}
