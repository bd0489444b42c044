import { parseRepository, withLogin } from "#contract/addresses/repository-address.ts";

/** The user name that each forge expects with an access token. Others accept any name. */
const USERS: Readonly<Record<string, string>> = {
  "github.com": "x-access-token",
  "gitlab.com": "oauth2",
  "bitbucket.org": "x-token-auth",
};
const OTHER_USER = "git";

/**
 * Adds the project's repository token to an https address as its password. The agent hands it to git like a password
 * that the address contains: by a credential helper, for this scheme, host and port only.
 */
export function withToken(repository: string, token: string | null): string {
  const parsed = parseRepository(repository);
  if (token === null || !parsed.ok || parsed.value.kind !== "https") return repository;
  const { address, login } = parsed.value;
  const user = login?.user || (USERS[address.host] ?? OTHER_USER);
  return withLogin(parsed.value, { user, password: encodeURIComponent(token) });
}
