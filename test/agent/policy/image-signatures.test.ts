import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { checkImages, checkSigned, checkStored } from "#agent/policy/check-containers.ts";
import { type ImageSignatures, requirementOf } from "#agent/policy/image-signatures.ts";
import { openPolicy, Policy } from "#agent/policy/policy.ts";
import { readKeys } from "#agent/policy/read-keys.ts";
import { reportContainers } from "#agent/report/report-containers.ts";
import { readDockerfile } from "#project-files/dockerfile/read-dockerfile.ts";
import { containersText } from "#contract/endpoints/servers/containers-text.ts";

import "#contract/issue-messages.ts";

const KEY = "/etc/gantry/keys/acme.pub";
const rule: ImageSignatures = {
  images: {
    "ghcr.io": "refuse",
    "ghcr.io/acme": KEY,
    "ghcr.io/acme/tools": "accept",
    "docker.io/node": [KEY],
    "localhost:5000": KEY,
    "images.internal:443": KEY,
  },
  others: "accept",
};
const policy = { ...openPolicy, image_signatures: rule };

describe("the rule about signatures", () => {
  it.each([
    ["ghcr.io/acme/shop", KEY],
    ["ghcr.io/acme/tools/cli", "accept"],
    ["ghcr.io/acme-2/shop", "refuse"],
    ["docker.io/library/node", [KEY]],
    ["docker.io/node/fork", [KEY]],
    ["docker.io/library/node-fork", "accept"],
    ["localhost:5000/shop", KEY],
    ["quay.io/acme/shop", "accept"],
    ["ghcr.io:443/acme/shop", KEY],
    ["ghcr.io:443/other", "refuse"],
    ["docker.io:443/library/node", [KEY]],
    ["localhost:443/shop", "accept"],
    ["images.internal/shop", KEY],
  ])("requires of %s: %j", (name, requirement) => {
    expect(requirementOf(rule, name)).toEqual(requirement);
  });

  it.each([
    [{ images: { "ghcr.io": KEY } }, "others: must be one of"],
    [{ images: { "ghcr.io/acme/shop:v1": KEY }, others: "accept" }, "must be a registry"],
    [{ images: { "https://ghcr.io": KEY }, others: "accept" }, "must be a registry"],
    [{ images: { "ghcr.io/acme/*": KEY }, others: "accept" }, "must be a registry"],
    [{ images: { node: KEY }, others: "accept" }, "must be a registry"],
    [{ images: { "ghcr.io": "acme.pub" }, others: "accept" }, 'must be "accept", "refuse", or the absolute'],
    [{ images: { "ghcr.io": [] }, others: "accept" }, "must not be empty"],
    [{ images: {}, others: "any" }, "others: must be one of"],
  ])("is wrong as %j", (image_signatures, message) => {
    const { error } = Policy.safeParse({ version: 1, image_signatures });
    expect(error === undefined ? "" : z.prettifyError(error)).toContain(message);
  });

  it("refuses builds of other machines, whose base images nobody has checked here, unless the policy accepts them", () => {
    expect(Policy.parse({ version: 1, image_signatures: rule })).toMatchObject({
      artifacts: "refuse",
      containers: "any",
    });
    expect(Policy.parse({ version: 1, image_signatures: rule, artifacts: "accept" }).artifacts).toBe(
      "accept",
    );
  });

  it("is in the report of the server", () => {
    const engine = { kind: "podman", version: "5.4.2" } as const;
    const textWith = (image_signatures: Policy["image_signatures"]) =>
      containersText(reportContainers({ engine, policy: { ...openPolicy, image_signatures } }));
    expect(textWith("any")).toBe("podman 5.4.2");
    expect(textWith(rule)).toBe("podman 5.4.2, some images must be signed");
    expect(textWith({ ...rule, others: "refuse" })).toBe("podman 5.4.2, only images that its policy names");
  });

  it("refuses a repository of images before anything is fetched", () => {
    expect(checkImages(policy, "docker://ada:s3cret@ghcr.io/other/shop")).toMatch(
      /^this server's policy \(image_signatures\) does not allow images of ghcr\.io\/other\/shop\. /,
    );
    expect(checkImages(policy, "docker://ghcr.io/acme/shop")).toBeNull();
    expect(checkImages(policy, "https://ghcr.io/other/shop")).toBeNull();
    expect(checkImages(openPolicy, "docker://ghcr.io/other/shop")).toBeNull();
  });

  it.each([
    ["FROM containers-storage:ghcr.io/acme/old:1", false],
    ["ARG BASE=node:24\nFROM node:24 AS one\nFROM $BASE", false],
    ["ARG BASE=node:24\nFROM ${BASE}", false],
    ["FROM containers${UNSET}-storage:old", false],
    ["FROM containers\\-storage:old", false],
    ["ARG X=Xcontainers-storage:old\nFROM ${X#X}", false],
    ["ARG X\nFROM node:24${X}", false],
    ["ARG X\nFROM node:${X:-24} AS one\nFROM one", true],
    ["ARG KIND=24\nFROM node:${KIND}-storage AS containers\nFROM containers", true],
    ["FROM base-${TARGETARCH}", true],
    ["FROM node:24\nCOPY --from=containers-storage:old /app /app", false],
    ["FROM node:24\nARG X\nCOPY --from=containers${X}-storage:old /app /app", false],
    ["FROM node:24\nRUN --mount=type=bind,from=containers-storage:old,target=/old cp -r /old /app", false],
    ["FROM node:24 AS one\nONBUILD COPY --from=containers-storage:old /app /app\nFROM one", false],
    ["FROM node:24 AS Containers-Storage:old\nFROM containers-storage:old", false],
    [
      "FROM node:24 AS one\nFROM node:24\nCOPY --from=one /a /a\nCOPY --from=ghcr.io/acme/tools:1 /b /b",
      true,
    ],
    // The heredoc ends at EF: only instructions are escaped by the directive.
    ["# escape=`\nFROM node:24\nRUN <<E\\F\ntrue\nEF\nFROM containers-storage:old\nRUN <<X\nE\\F\nX", false],
    ["# escape=`\nFROM node:24\nRUN a\\ <<E\nFROM containers-storage:old\nE", false],
    ["FROM node:24\nRUN <<$E\nFROM containers-storage:old\n$E", false],
    ['FROM node:24\nRUN cat <<E "x\nFROM containers-storage:old\nE', false],
    ["FROM node:24\nRUN cat <<E ${x[0]\nFROM containers-storage:old\nE", false],
    ["FROM node:24\nRUN cat <<E > ${X:-it}\nFROM containers-storage:old\nE", true],
    ['FROM node:24\nRUN cat <<"E F"\nFROM containers-storage:old\nE F', true],
    // BASE is given, so its default means nothing.
    ["ARG BASE=node:24\nARG IMAGE=${BASE}\nFROM $IMAGE", false],
    ["ARG TAG=24\nARG IMAGE=node:${TAG}\nFROM $IMAGE", true],
  ])("refuses a Dockerfile that is based on an image of the storage: %j", (text, isAllowed) => {
    const read = readDockerfile(text, { path: "Dockerfile", target: null });
    if (!read.ok) throw new Error(read.problem.message);
    const args = { BASE: "containers-storage:old" };
    const build = { path: "Dockerfile", facts: read.value, args };
    expect(checkStored(policy, build) === null).toBe(isAllowed);
    expect(checkStored(openPolicy, build)).toBeNull();
  });

  it("refuses a file that buildah gives to the C preprocessor, which can make any Dockerfile of it", () => {
    const read = readDockerfile("#define A containers-storage\nFROM A:old", { path: "x.in", target: null });
    if (!read.ok) throw new Error(read.problem.message);
    const build = { path: "docker/Dockerfile.in", facts: read.value, args: {} };
    expect(checkStored(policy, build)).toContain("Dockerfile.in");
    expect(checkStored(openPolicy, build)).toBeNull();
  });

  it("refuses a release whose image was not checked by it", () => {
    const files = { hash: "now", policy: "/p", registries: "/r" };
    const image = {
      ...{ id: "a".repeat(64), bytes: 1, command: null, directory: "/", user: { uid: 0, gid: 0 } },
      ...{ ports: [], shared_paths: [] },
    };
    const release = (checked?: string) => ({
      ...{ version: 3, repository: "https://example.com/shop" },
      image: checked === undefined ? image : { ...image, checked },
    });
    const now = { ...policy, imagePolicy: files };
    expect(checkSigned(now, release("now"), 2)).toBeNull();
    expect(checkSigned(now, release("before"), 2)).toContain("(image_signatures) does not allow release 3");
    expect(checkSigned(now, release(), null)).toContain("Deploy its commit again");
    expect(checkSigned(openPolicy, release(), 2)).toBeNull();
    // What is live stays.
    expect(checkSigned(now, release(), 3)).toBeNull();
    // Another server has built it, and the rule about artifacts decides. An image of a repository was pulled here.
    const taken = { ...release(), taken: true } as const;
    expect(checkSigned(now, taken, 2)).toBeNull();
    expect(checkSigned(now, { ...taken, repository: "docker://ghcr.io/acme/shop" }, 2)).not.toBeNull();
  });
});

describe("a key", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gantry-keys-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const pair = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });

  async function read(text: string, mode = 0o644) {
    const path = join(folder, "acme.pub");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return readKeys({ ...policy, image_signatures: { images: { "ghcr.io": path }, others: "accept" } });
  }

  it("is read", async () => {
    expect(await read(pair.publicKey)).toEqual({
      ok: true,
      value: new Map([[join(folder, "acme.pub"), pair.publicKey]]),
    });
    expect(await readKeys(openPolicy)).toEqual({ ok: true, value: new Map() });
  });

  it.each([
    ["a private key", pair.privateKey, 0o644, /is not one public key/],
    ["two keys", pair.publicKey + pair.publicKey, 0o644, /is not one public key/],
    [
      "no key",
      "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
      0o644,
      /is not one public key/,
    ],
    ["a file that others can change", pair.publicKey, 0o646, /can be written to by a group or by others/],
  ])("is refused as %s", async (_, text, mode, reason) => {
    expect(await read(text, mode)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it("that is missing is refused by its path and its rule", async () => {
    expect(await readKeys(policy)).toEqual({
      ok: false,
      reason: expect.stringMatching(
        /^the key \/etc\/gantry\/keys\/acme\.pub of the policy's rule image_signatures cannot be read: /,
      ),
    });
  });
});
