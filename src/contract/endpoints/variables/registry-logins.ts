import { isImagePlace } from "#contract/addresses/image-place.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** How to sign in to a registry. `place`: its host, and the beginning of the names of images if the login is only for these. */
export type RegistryLogin = { readonly user: string; readonly token: string; readonly place: string };

/** `message`: the end of a sentence. It quotes nothing of the value. */
type Read = ResultOf<readonly RegistryLogin[], { readonly message: string }>;

const FORM = "must have a line USER:TOKEN@HOST for each registry, such as ada:TOKEN@ghcr.io";

/**
 * Reads the value of the secret GANTRY_REGISTRY_TOKEN. A user name ends at the first colon and a host begins after the last @, so a
 * token may have both, as it is: nothing in it is encoded.
 */
export function readRegistryLogins(value: string): Read {
  const logins: RegistryLogin[] = [];
  for (const [at, line] of value.split("\n").entries()) {
    if (line === "") continue;
    const login = readLine(line);
    const problem =
      typeof login === "string" ? login : logins.some(({ place }) => place === login.place) ? TWICE : null;
    if (problem !== null) return { ok: false, message: `${FORM}: line ${at + 1} ${problem}` };
    if (typeof login !== "string") logins.push(login);
  }
  return logins.length === 0 ? { ok: false, message: FORM } : succeed(logins);
}

const TWICE = "is for the same place as an earlier line";

/** @returns what is wrong, as the end of a sentence about the line */
function readLine(line: string): RegistryLogin | string {
  const end = line.lastIndexOf("@");
  const [login, place] = [line.slice(0, Math.max(0, end)), line.slice(end + 1)];
  const colon = login.indexOf(":");
  const [user, token] = [login.slice(0, Math.max(0, colon)), login.slice(colon + 1)];
  if (end === -1) return "has no @";
  if (colon === -1) return "has no colon between the user and the token";
  if (user === "" || token === "") return `has no ${user === "" ? "user" : "token"}`;
  const parts = [user, token, place];
  if (parts.some((part) => part !== part.trim() || /\p{Cc}/u.test(part)))
    return "has a space around a part, or a control character";
  return isImagePlace(place) ? { user, token, place } : placeProblem(place);
}

function placeProblem(place: string): string {
  if (place.includes("://"))
    return "has an address after the @: write the host without https:// or docker://";
  return /^(?:index|registry-1|registry|hub)\.docker\.(?:io|com)\b/.test(place)
    ? "has another name of Docker Hub after the @: write docker.io"
    : "has no host of a registry in lower case after the @, such as ghcr.io or docker.io";
}
