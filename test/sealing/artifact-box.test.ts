import { expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { openArtifactKey, sealArtifactKey } from "#sealing/artifact-box.ts";
import { toBase64Url } from "#sealing/bytes.ts";
import { generateKeyPair } from "#sealing/hpke.ts";
import { fingerprintOf, openSecret, sealSecret } from "#sealing/secret-box.ts";

const ids = createIdGenerator({
  now: () => 1_800_000_000_000,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
const place = { projectId: ids.project(), sha256: "a".repeat(64) };
const key = crypto.getRandomValues(new Uint8Array(32));

it("the key of a build opens for each server that it was sealed for, and nowhere else", async () => {
  const [first, second, other] = await Promise.all([generateKeyPair(), generateKeyPair(), generateKeyPair()]);
  const publicKeys = [first, second, first].map(({ publicKey }) => toBase64Url(publicKey));
  const boxes = (await sealArtifactKey(publicKeys, place, key)) ?? {};
  expect(Object.keys(boxes)).toEqual([
    await fingerprintOf(first.publicKey),
    await fingerprintOf(second.publicKey),
  ]);
  const [box = ""] = Object.values(boxes);
  // As the contract says.
  expect(box).toMatch(/^[A-Za-z0-9_-]{107}$/);
  expect(await openArtifactKey(first, place, box)).toEqual(key);
  expect(await openArtifactKey(other, place, box)).toBeNull();
  expect(await openArtifactKey(first, { ...place, projectId: ids.project() }, box)).toBeNull();
  expect(await openArtifactKey(first, { ...place, sha256: "b".repeat(64) }, box)).toBeNull();
  expect(await openArtifactKey(first, place, `A${box.slice(1)}`)).toBeNull();
  expect(await openArtifactKey(first, place, "no box")).toBeNull();
  expect(await sealArtifactKey(["not a key"], place, key)).toBeNull();
});

it("the key of a build never passes as a secret, nor a secret as a key", async () => {
  const keys = await generateKeyPair();
  const publicKey = toBase64Url(keys.publicKey);
  const secret = { account_id: ids.account(), project_id: place.projectId, name: "TOKEN", revision: 1 };
  const sealed = await sealSecret(publicKey, secret, "x".repeat(32));
  expect(await openArtifactKey(keys, place, sealed?.box ?? "")).toBeNull();
  const [box = ""] = Object.values((await sealArtifactKey([publicKey], place, key)) ?? {});
  expect(await openSecret(keys, secret, { box })).toBeNull();
});
