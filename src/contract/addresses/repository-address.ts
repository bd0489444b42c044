import {
  type Address,
  type AddressRefusal,
  parseAddress,
  textProblem,
} from "#contract/addresses/web-address.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** A user name and a password in front of a host, as they are written. `password`: null without a colon. */
export type Login = { readonly user: string; readonly password: string | null };

/** A repository whose address can have a login. `place`: the host and path, which follow the login in the address. */
export type UrlRepository = {
  readonly login: Login | null;
  readonly place: string;
  /** The address in its one form, with its login. */
  readonly text: string;
} & (
  | { readonly kind: "https"; readonly address: Address }
  /** A repository of images. `host`: with the port, if it is written. */
  | { readonly kind: "docker"; readonly host: string; readonly path: string }
  /** `port`: null: the default one. */
  | { readonly kind: "ssh"; readonly host: string; readonly port: string | null; readonly path: string }
);

/**
 * The address of a repository in parts, as git, curl, ssh and programs for images read it. `scp`: `user@host:path`, whose path begins at
 * the user's home folder.
 */
export type RepositoryAddress =
  | UrlRepository
  | {
      readonly kind: "scp";
      readonly user: string;
      readonly host: string;
      readonly path: string;
      readonly text: string;
    }
  | { readonly kind: "local"; readonly path: string; readonly text: string };

/** The maximum length of a repository's address. */
export const MAX_REPOSITORY = 2048;

const FILE = "file://";
const DOCKER = "docker://";
const EXAMPLE =
  "must be an https or ssh URL, user@host:path, file:///path or an absolute path, without spaces or `..`";
const IMAGE_EXAMPLE = "must be docker://HOST/NAME, such as docker://ghcr.io/acme/shop";
const DOCKER_HUB = "docker.io";
/** Source: the reference grammar of the Distribution project. */
const IMAGE_PATH = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const SSH_USER = /^[A-Za-z0-9_][\w.+-]*$/;
const DEFAULT_SSH_PORT = "22";
/** What no user name or password contains unless it is percent-encoded: it would end the login for some programs. */
const ENDS_LOGIN = /[/?#@[\]]|[^!-~]/;
/** A control character, `%`, `-`, `.`, `/` or a backslash, percent-encoded: git decodes the path and reads it then. */
const CHANGES_DECODED = /%(?:[01][0-9a-f]|2[5def]|5c|7f|(?![0-9a-f]{2}))/i;

/**
 * Parses the address of a repository. Refuses what programs read differently: git decodes an ssh URL before it looks for
 * the host, so `ssh://good%2F@evil/` leads to `good`, and file URLs before it opens the path.
 */
export function parseRepository(text: string): ResultOf<RepositoryAddress, AddressRefusal> {
  const problem = textProblem(text);
  if (problem !== null) return refused(problem);
  if (text.startsWith("/")) return local(text, text);
  if (text.startsWith(`${FILE}/`)) {
    const path = decodedPath(text.slice(FILE.length));
    return path === null ? refused("must be a file URL with valid percent-encoding") : local(path, text);
  }
  const [, scheme, authority = "", path = ""] =
    /^(https|ssh|docker):\/\/([^/]*)\/([^-].*)$/u.exec(text) ?? [];
  if (scheme === undefined) return text.startsWith(DOCKER) ? refused(IMAGE_EXAMPLE) : scp(text);
  const { login, host } = splitAuthority(authority);
  if (login !== null && ENDS_LOGIN.test(login.user + (login.password ?? "")))
    return refused(
      "must have a user name and password in which other characters are percent-encoded, such as @ as %40",
    );
  if (host === "") return refused(EXAMPLE);
  if (scheme === "docker") return docker(login, host, path);
  return scheme === "https" ? https(login, host, path) : ssh(login, host, path);
}

/** Whether an address is meant to be of a repository of images. It may be invalid. */
export function isImageRepository(text: string): boolean {
  return text.startsWith(DOCKER);
}

/** The parts of an address that a schema has accepted. @throws if none has */
export function repositoryOf(text: string): RepositoryAddress {
  const parsed = parseRepository(text);
  if (!parsed.ok) throw new Error(`a repository's address ${parsed.message}`);
  return parsed.value;
}

/** Whether an address is meant to be of a repository on the server itself. It may be invalid. */
export function isLocal(text: string): boolean {
  return text.startsWith("/") || text.startsWith("file:");
}

/** The path of a repository on the server itself, as git reads it; null: the address is of another kind, or invalid. */
export function localPath(text: string): string | null {
  const parsed = parseRepository(text);
  return parsed.ok && parsed.value.kind === "local" ? parsed.value.path : null;
}

function https(login: Login | null, host: string, path: string): ResultOf<RepositoryAddress, AddressRefusal> {
  const parsed = parseAddress(`https://${host}/${path}`);
  if (!parsed.ok) return parsed;
  const address = parsed.value;
  const place = address.text.slice("https://".length);
  return succeed({ kind: "https", login, address, place, text: withLogin({ kind: "https", place }, login) });
}

/** Programs read a first part without a dot or a port as a part of a name at Docker Hub. */
function docker(
  login: Login | null,
  authority: string,
  path: string,
): ResultOf<RepositoryAddress, AddressRefusal> {
  const parsed = parseAddress(`https://${authority}/`);
  if (!parsed.ok) return parsed;
  const { hostname, port } = parsed.value;
  // A written port stays: only https has a default one.
  const written = /:(\d+)$/.exec(authority)?.[1] ?? port;
  const name = hostname === "index.docker.io" ? DOCKER_HUB : hostname;
  const host = written === "" ? name : `${name}:${Number(written)}`;
  const [, bare = path, end] = /^([^:@]*)([:@].*)$/.exec(path) ?? [];
  if (end !== undefined)
    return refused(
      end.startsWith("@")
        ? "must not have a digest: deploy it as the commit, in `commit` of a deployment"
        : "must not have a tag: it is the `branch`",
    );
  if (!/[.:]/.test(host) && host !== "localhost")
    return refused(
      `must begin with the host of a registry: write docker://${DOCKER_HUB}/NAME for Docker Hub`,
    );
  if (!IMAGE_PATH.test(bare)) return refused(`${IMAGE_EXAMPLE}, in lower case`);
  const full = host === DOCKER_HUB && !bare.includes("/") ? `library/${bare}` : bare;
  const place = `${host}/${full}`;
  const text = withLogin({ kind: "docker", place }, login);
  return succeed({ kind: "docker", login, host, path: full, place, text });
}

function ssh(
  login: Login | null,
  authority: string,
  path: string,
): ResultOf<RepositoryAddress, AddressRefusal> {
  const [, name = "", port = DEFAULT_SSH_PORT] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/u.exec(authority) ?? [];
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    return refused("must have a port from 1 to 65535, or none");
  const host = sshHost(name);
  if (!host.ok) return host;
  const user = login?.user ?? null;
  if (user !== null && !SSH_USER.test(user)) return refused(SSH_USER_RULE);
  if (!isCleanPath(path) || CHANGES_DECODED.test(path)) return refused(EXAMPLE);
  const isDefault = port === DEFAULT_SSH_PORT;
  const place = `${host.value}${isDefault ? "" : `:${port}`}/${path}`;
  const text = withLogin({ kind: "ssh", place }, login);
  return succeed({ kind: "ssh", login, host: host.value, port: isDefault ? null : port, path, place, text });
}

const SSH_USER_RULE = "must have an ssh user of letters, digits and . _ - +";

/** The short form of ssh. A second colon is refused, because `ext::…` and `fd::…` run a command. */
function scp(text: string): ResultOf<RepositoryAddress, AddressRefusal> {
  const [, user = "", name = "", path = ""] = /^([^@:/]*)@([^@:/]*):([^-:][^:]*)$/u.exec(text) ?? [];
  if (path === "" || name === "") return refused(EXAMPLE);
  if (!SSH_USER.test(user)) return refused(SSH_USER_RULE);
  const host = sshHost(name);
  if (!host.ok) return host;
  if (!isCleanPath(path)) return refused(EXAMPLE);
  return succeed({ kind: "scp", user, host: host.value, path, text: `${user}@${host.value}:${path}` });
}

/** ssh has the same names of hosts as the web, so they have the same form. */
function sshHost(name: string): ResultOf<string, AddressRefusal> {
  const parsed = parseAddress(`https://${name}`);
  if (!parsed.ok) return parsed;
  const { hostname, port, text } = parsed.value;
  return port === "" && text === `https://${hostname}`
    ? succeed(hostname)
    : refused("must have a valid host and port");
}

/** @param path as git reads it: decoded once if the address is a file URL */
function local(path: string, text: string): ResultOf<RepositoryAddress, AddressRefusal> {
  if (!/[^/]/.test(path) || !isCleanPath(path.slice(1))) return refused(EXAMPLE);
  return isRelativeToReader(path)
    ? refused("must not be in /proc, /dev or /sys, whose paths lead each program somewhere else")
    : succeed({ kind: "local", path, text });
}

function decodedPath(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** Whether a path leads each process somewhere else, as `/proc/self/cwd` and `/dev/fd` do. `/dev/shm` has ordinary files. */
function isRelativeToReader(path: string): boolean {
  const [first = "", second] = path.split("/").filter((part) => part !== "" && part !== ".");
  return first === "proc" || first === "sys" || (first === "dev" && second !== "shm");
}

/** Whether no part of a path leads up, or could be read as an option. */
export function isCleanPath(path: string): boolean {
  return (
    path !== "" &&
    !/\p{Cc}/u.test(path) &&
    path.split("/").every((part) => part !== ".." && !part.startsWith("-"))
  );
}

function splitAuthority(authority: string): { readonly login: Login | null; readonly host: string } {
  const at = authority.lastIndexOf("@");
  if (at === -1) return { login: null, host: authority };
  const login = authority.slice(0, at);
  const colon = login.indexOf(":");
  const host = authority.slice(at + 1);
  return colon === -1
    ? { login: { user: login, password: null }, host }
    : { login: { user: login.slice(0, colon), password: login.slice(colon + 1) }, host };
}

/** The address of the same repository with another login. */
export function withLogin(
  { kind, place }: Pick<UrlRepository, "kind" | "place">,
  login: Login | null,
): string {
  if (login === null) return `${kind}://${place}`;
  const password = login.password === null ? "" : `:${login.password}`;
  return `${kind}://${login.user}${password}@${place}`;
}

const refused = (message: string) => ({ ok: false, message }) as const;
