import { expect, it } from "vitest";

import { sourceFailure } from "#agent/images/source-failure.ts";

const source = {
  name: "ghcr.io/acme/shop",
  auth: "{}",
  user: null,
  shown: "docker://ghcr.io/acme/shop",
};

/** As skopeo and buildah print it. */
const skopeo = (text: string) =>
  `time="2026-11-30T10:39:02Z" level=fatal msg=${JSON.stringify(`Error parsing image name "docker://ghcr.io/acme/shop:v1": ${text}`)}\n`;
const buildah = (text: string) => `Error: initializing source docker://ghcr.io/acme/shop:v1: ${text}\n`;

it.each([
  [
    skopeo("reading manifest v1 in ghcr.io/acme/shop: manifest unknown"),
    "ref_not_found",
    "branch_not_found",
    "the registry has no image ghcr.io/acme/shop:v1",
  ],
  [
    buildah("reading manifest v1 in ghcr.io/acme/shop: authentication required"),
    "fetch_failed",
    "access_denied",
    "ghcr.io refuses access to ghcr.io/acme/shop:v1",
  ],
  [
    buildah("reading manifest v1 in ghcr.io/acme/shop: toomanyrequests: You have reached your limit"),
    "fetch_failed",
    "failed",
    "ghcr.io answers no more requests for now",
  ],
  [
    skopeo('reading manifest v1 in ghcr.io/acme/shop: StatusCode: 429, ""'),
    "fetch_failed",
    "failed",
    "ghcr.io answers no more requests for now",
  ],
  [
    "Error: parsing image configuration: (heuristic tuning data: total 1129 @1079.281 ms, last retry 753 @0.258 ms, last progress @ 0.246 ms): unexpected EOF\n",
    "fetch_failed",
    "unreachable",
    "ghcr.io broke off the connection before ghcr.io/acme/shop:v1 was complete",
  ],
  [
    skopeo('pinging container registry ghcr.io: Get "https://ghcr.io/v2/": EOF'),
    "fetch_failed",
    "unreachable",
    'ghcr.io cannot be reached: Error parsing image name "docker://ghcr.io/acme/shop:v1": pinging container registry ghcr.io: Get "https://ghcr.io/v2/": EOF',
  ],
  [
    skopeo(
      'pinging container registry ghcr.io: Get "https://ghcr.io/v2/": dial tcp: lookup ghcr.io: no such host',
    ),
    "fetch_failed",
    "unreachable",
    "ghcr.io cannot be reached: dial tcp: lookup ghcr.io: no such host",
  ],
  [
    buildah("no image found in image index for architecture arm64, variant v8, OS linux"),
    "fetch_failed",
    "failed",
    "ghcr.io/acme/shop:v1 has no image for the processor of this server",
  ],
  [
    "Error: Source image rejected: A signature was required, but no signature exists\n",
    "image_unsigned",
    "refused_by_policy",
    "ghcr.io/acme/shop:v1 does not have the signature that this server requires",
  ],
  ["Error: something new\n", "fetch_failed", "failed", "ghcr.io/acme/shop:v1 cannot be read: something new"],
])("%s", (stderr, code, test, message) => {
  expect(sourceFailure(stderr, source, ":v1")).toMatchObject({ code, test, message });
});
