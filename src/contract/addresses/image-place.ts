import { parseRepository } from "#contract/addresses/repository-address.ts";

/**
 * Whether a text is the host of a registry, or the host and the beginning of the names of images, as programs for images write it:
 * `ghcr.io`, `ghcr.io/acme`, `docker.io/library/node`. They compare it letter by letter.
 */
export function isImagePlace(text: string): boolean {
  const hasPath = text.includes("/");
  const parsed = parseRepository(`docker://${hasPath ? text : `${text}/any/image`}`);
  if (!parsed.ok || parsed.value.kind !== "docker" || parsed.value.login !== null) return false;
  const { host, place } = parsed.value;
  // At Docker Hub, one word is a user's images, or an image of `library`.
  return hasPath ? place === text || place === text.replace("/", "/library/") : host === text;
}
