import { readRegistryLogins, type RegistryLogin } from "#contract/endpoints/variables/registry-logins.ts";

type Login = Pick<RegistryLogin, "user" | "token">;

const encoded = ({ user, token }: Login) => Buffer.from(`${user}:${token}`).toString("base64");

/** The text of an auth.json, as podman, buildah and skopeo read it. It signs in to these registries and to no other. */
export function registryAuth(logins: readonly RegistryLogin[]): string {
  return JSON.stringify({
    auths: Object.fromEntries(logins.map((login) => [login.place, { auth: encoded(login) }])),
  });
}

/** What must be hidden besides the secret itself: the tokens in it, and their form in an auth.json. */
export function loginValues(value: string | null): readonly string[] {
  const read = value === null ? null : readRegistryLogins(value);
  return read?.ok === true ? read.value.flatMap((login) => [login.token, encoded(login)]) : [];
}

/** The login that programs for images use for an image: the longest of the places that its name begins with. */
export function loginFor(logins: readonly RegistryLogin[], image: string): RegistryLogin | null {
  const name = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const fitting = logins.filter(({ place }) => name === place || name.startsWith(`${place}/`));
  return fitting.toSorted((a, b) => b.place.length - a.place.length)[0] ?? null;
}
