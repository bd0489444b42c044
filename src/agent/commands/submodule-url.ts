import { inheritLogin } from "#agent/commands/git-login.ts";
import { Repository } from "#contract/git-names.ts";

export type SubmoduleUrl =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "refused"; readonly reason: string };

/** A repository on this server itself. */
export function isLocal(repository: string): boolean {
  return repository.startsWith("/") || repository.startsWith("file://");
}

/**
 * Where a submodule comes from. `./` and `../` start from the parent's own address, as in gitsubmodules(7).
 * One on the parent's host gets the parent's login. A remote repository may not send the agent to a path on this server.
 */
export function resolveSubmoduleUrl(parent: string, written: string): SubmoduleUrl {
  const isRelative = written.startsWith("./") || written.startsWith("../");
  const url = isRelative ? climb(parent, written) : inheritLogin(parent, written);
  if (url === null || !Repository.safeParse(url).success)
    return { kind: "refused", reason: `its address ${written} is not one that Gantry fetches from` };
  if (isLocal(url) && !isLocal(parent))
    return { kind: "refused", reason: `its address ${written} is a path on this server` };
  return { kind: "url", url };
}

function climb(parent: string, written: string): string | null {
  // What may be climbed: the path, but neither the host nor the user before it.
  const match = /^(file:\/\/|[a-z]+:\/\/[^/]+|[^/:]+@[^/:]+:)?(.*)$/.exec(parent);
  const start = match?.[1] ?? "";
  let path = (match?.[2] ?? "").replace(/\/+$/, "");
  let rest = written;
  for (;;) {
    if (rest.startsWith("./")) rest = rest.slice(2);
    else if (rest.startsWith("../")) {
      if (path === "") return null;
      const slash = path.lastIndexOf("/");
      path = slash === -1 ? "" : path.slice(0, slash);
      rest = rest.slice(3);
    } else break;
  }
  const isScp = start.endsWith(":");
  return path === "" && isScp ? `${start}${rest}` : `${start}${path}/${rest}`;
}
