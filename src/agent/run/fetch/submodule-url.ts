import { inheritLogin } from "#agent/git/commands/git-login.ts";
import { isLocal } from "#contract/addresses/repository-address.ts";
import { maskRepository, Repository } from "#contract/git-names.ts";

export type SubmoduleUrl =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Resolves a submodule's address. `./` and `../` are relative to the parent's address, as in gitsubmodules(7). A
 * submodule on the parent's host gets the parent's login. A remote repository must not lead the agent to a path on
 * this server.
 */
export function resolveSubmoduleUrl(parent: string, written: string): SubmoduleUrl {
  const isRelative = written.startsWith("./") || written.startsWith("../");
  const url = isRelative ? resolveRelative(parent, written) : inheritLogin(parent, written);
  if (url === null || !Repository.safeParse(url).success)
    return { kind: "refused", reason: `its address ${maskRepository(written)} is not supported` };
  if (isLocal(url) && !isLocal(parent))
    return { kind: "refused", reason: `its address ${maskRepository(written)} is a path on this server` };
  return { kind: "url", url };
}

function resolveRelative(parent: string, written: string): string | null {
  // `../` may remove parts of the path, but not the host or the user before it.
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
