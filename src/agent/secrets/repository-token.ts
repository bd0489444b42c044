import { parseRepository, withLogin } from "#contract/addresses/repository-address.ts";

/** The user name that each forge expects with an access token. Others accept any name. */
const USERS: Readonly<Record<string, string>> = {
  "github.com": "x-access-token",
  "gitlab.com": "oauth2",
  "bitbucket.org": "x-token-auth",
};
const OTHER_USER = "git";
/** For registries that read only the token. */
const REGISTRY_USER = "token";

/**
 * Adds the project's repository token to an https address, or to one of images, as its password. The agent hands it to git like a password
 * that the address contains: by a credential helper, for this scheme, host and port only.
 */
export function withToken(repository: string, token: string | null): string {
  const parsed = parseRepository(repository);
  if (token === null || !parsed.ok) return repository;
  const { value } = parsed;
  if (value.kind !== "https" && value.kind !== "docker") return repository;
  const usual = value.kind === "https" ? (USERS[value.address.host] ?? OTHER_USER) : REGISTRY_USER;
  const user = value.login?.user || usual;
  return withLogin(value, { user, password: encodeURIComponent(token) });
}
