import { registryAuth } from "#agent/secrets/registry-auth.ts";
import { repositoryOf, withLogin } from "#contract/addresses/repository-address.ts";
import { maskRepository } from "#contract/git-names.ts";
import { percentDecoded } from "#contract/mask.ts";

/** A repository of images. `name`: its host and path, as an image's name begins. */
export type ImageSource = {
  readonly name: string;
  /** The text of an auth.json, as podman, buildah and skopeo read it: of this registry alone, or of none. */
  readonly auth: string;
  /** The user that signs in; null: nobody does. */
  readonly user: string | null;
  /** The address with its secrets masked. */
  readonly shown: string;
};

/** Where the images of a project are, and how to sign in there. @throws if no schema has accepted the address */
export function imageSource(repository: string): ImageSource {
  const address = repositoryOf(repository);
  if (address.kind !== "docker") throw new Error("the repository has no images");
  const { login, host, place } = address;
  const password = login?.password ?? null;
  const user = login === null || password === null ? null : percentDecoded(login.user);
  const logins = user === null ? [] : [{ user, token: percentDecoded(password ?? ""), place: host }];
  const shown = withLogin(address, login === null ? null : { user: login.user, password: null });
  return { name: place, auth: registryAuth(logins), user, shown: maskRepository(shown) };
}
