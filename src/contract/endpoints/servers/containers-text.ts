import type { Containers } from "#contract/endpoints/servers/schemas.ts";

const signatureTexts = { some: ", some images must be signed", all: ", only images that its policy names" };

/** What makes containers on a server, for a person: `podman 5.4.2`, or why nothing does. */
export function containersText(containers: Containers): string {
  switch (containers.engine) {
    case null:
      return `no: ${containers.problem}`;
    case "podman":
      return `podman ${containers.version}${containers.image_signatures === undefined ? "" : signatureTexts[containers.image_signatures]}`;
    default:
      return containers.engine;
  }
}
