import { readRegistryLogins, type RegistryLogin } from "#contract/endpoints/variables/registry-logins.ts";
import { REGISTRY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

type Login = Pick<RegistryLogin, "user" | "token">;

const encoded = ({ user, token }: Login) => Buffer.from(`${user}:${token}`).toString("base64");

/** The text of an auth.json, as podman, buildah and skopeo read it. It signs in to these registries and to no other. */
export function registryAuth(logins: readonly RegistryLogin[]): string {
  return JSON.stringify({
    auths: Object.fromEntries(logins.map((login) => [login.place, { auth: encoded(login) }])),
  });
}

/**
 * The logins in the project's secret for registries. It was sealed for this server, so nobody else could check all of it.
 * @param value null: the project has none
 */
export function openLogins(
  value: string | null,
): ResultOf<readonly RegistryLogin[], { readonly message: string }> {
  const read = value === null ? succeed([]) : readRegistryLogins(value);
  if (read.ok) return read;
  return { ok: false, message: `the secret ${REGISTRY_TOKEN} cannot be used: it ${read.message}` };
}

/** What must be hidden besides the secret itself: the tokens in it, and their form in an auth.json. */
export function loginValues(value: string | null): readonly string[] {
  const read = openLogins(value);
  return read.ok ? read.value.flatMap((login) => [login.token, encoded(login)]) : [];
}

/** The login that programs for images use for an image: the longest of the places that its name begins with. */
export function loginFor(logins: readonly RegistryLogin[], image: string): RegistryLogin | null {
  const name = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const fitting = logins.filter(({ place }) => name === place || name.startsWith(`${place}/`));
  return fitting.toSorted((a, b) => b.place.length - a.place.length)[0] ?? null;
}
