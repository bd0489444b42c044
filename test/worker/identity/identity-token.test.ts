import { describe, expect, it } from "vitest";

import { bytesOf, toBase64Url } from "#sealing/bytes.ts";
import {
  isKnownAlgorithm,
  isSignedBy,
  IssuerKey,
  problemOfAudience,
  problemOfTimes,
  readIdentityToken,
} from "#worker/identity/identity-token.ts";
import { newKey, publicJwk, signed, type SigningKey } from "../../support/worker/issuer.ts";

const NOW = 1_790_000_000;
const claims = { iss: "https://issuer.test", aud: "https://gantry.test", exp: NOW + 300, iat: NOW };
const part = (value: unknown) => toBase64Url(bytesOf(JSON.stringify(value)));

function read(token: string) {
  const found = readIdentityToken(token);
  if (!found.ok) throw new Error(found.problem);
  return found.value;
}

const keysOf = async (...keys: readonly SigningKey[]) =>
  await Promise.all(keys.map(async (key) => IssuerKey.parse(await publicJwk(key))));

describe("an identity token", () => {
  it.each(["RS256", "ES256"] as const)(
    "signed with %s is verified by the key of its issuer",
    async (algorithm) => {
      const key = await newKey(algorithm);
      const token = read(await signed(key, claims));
      expect(await isSignedBy(token, await keysOf(key))).toBe(true);
      expect(await isSignedBy(token, await keysOf(await newKey(algorithm, key.kid)))).toBe(false);
    },
  );

  it("is verified by any key of the right kind if it names none, and only by the named key otherwise", async () => {
    const [key, other] = [await newKey(), await newKey()];
    const unnamed = read(await signed(key, claims, { kid: undefined }));
    expect(await isSignedBy(unnamed, await keysOf(other, key))).toBe(true);
    const misnamed = read(await signed(key, claims, { kid: other.kid }));
    expect(await isSignedBy(misnamed, await keysOf(other, key))).toBe(false);
  });

  it("does not count if a byte of it was changed", async () => {
    const key = await newKey("ES256");
    const [head, , signature] = (await signed(key, claims)).split(".");
    const forged = read(`${head}.${part({ ...claims, sub: "somebody else" })}.${signature}`);
    expect(await isSignedBy(forged, await keysOf(key))).toBe(false);
  });

  it("does not count with another algorithm than the key's, with none, or with the public key as a secret", async () => {
    const key = await newKey();
    const [jwk] = await keysOf(key);
    const text = `${part({ alg: "HS256", kid: key.kid })}.${part(claims)}`;
    const secret = await crypto.subtle.importKey(
      "raw",
      bytesOf(JSON.stringify(jwk)),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const mac = new Uint8Array(await crypto.subtle.sign("HMAC", secret, bytesOf(text)));
    const forged = [
      `${text}.${toBase64Url(mac)}`,
      `${part({ alg: "none" })}.${part(claims)}.`,
      await signed(key, claims, { alg: "ES256" }),
      await signed(key, claims, { alg: "RS512" }),
    ];
    for (const token of forged) expect(await isSignedBy(read(token), await keysOf(key))).toBe(false);
    expect(["RS256", "ES256", "HS256", "none", "toString"].filter(isKnownAlgorithm)).toEqual([
      "RS256",
      "ES256",
    ]);
  });

  it("does not count with a key that its issuer publishes for something else", async () => {
    const key = await newKey();
    const [jwk] = await keysOf(key);
    const token = read(await signed(key, claims));
    for (const other of [{ use: "enc" }, { alg: "RS512" }, { kty: "EC" }, { n: "AQAB" }, { n: 7 }])
      expect(await isSignedBy(token, [IssuerKey.parse({ ...jwk, ...other })])).toBe(false);
  });

  it.each([
    "",
    "a.b",
    "a.b.c",
    "..",
    `${part({})}.${part(claims)}.AA`,
    `${part({ alg: "RS256" })}.${part([claims])}.AA`,
    `${part({ alg: "RS256" })}.${part(null)}.AA`,
    `${part({ alg: "RS256" })}.${part({ ...claims, iss: 1 })}.AA`,
    `${part({ alg: "RS256" })}.${part({ ...claims, exp: "later" })}.AA`,
    `${part({ alg: "RS256" })}.${part({ ...claims, aud: [1] })}.AA`,
    `${part({ alg: "RS256", crit: ["exp"] })}.${part(claims)}.AA`,
    `${part({ alg: "RS256" })}.${part(claims)}.AA.AA`,
    `${part({ alg: "RS256" })}.${part(claims)}.A`,
    `${part({ alg: "RS256" })}.${part(claims)}.ä`,
    `${part({ alg: "RS256" })}.${toBase64Url(new Uint8Array([0xff, 0xfe]))}.AA`,
  ])("of the form %j is refused", (text) => {
    expect(readIdentityToken(text)).toMatchObject({ ok: false });
  });

  it("counts within its times, give or take half a minute", () => {
    const problem = (more: object, now = NOW) => problemOfTimes({ ...claims, ...more }, now * 1000);
    expect(problem({})).toBeNull();
    expect(problem({ iat: undefined })).toBeNull();
    expect(problem({}, NOW + 329)).toBeNull();
    expect(problem({}, NOW + 331)).toContain("expired 31 seconds ago");
    expect(problem({}, NOW + 300 + 600)).toContain("expired 10 minutes ago");
    expect(problem({}, NOW + 300 + 5 * 3_600)).toContain("expired 5 hours ago");
    expect(problem({ nbf: NOW + 29 })).toBeNull();
    expect(problem({ nbf: NOW + 31 })).toContain("not valid yet");
    expect(problem({ iat: NOW + 300 })).toContain("not valid yet");
    expect(problem({ exp: NOW + 32 * 86_400 })).toContain("more than 31 days");
    expect(problem({ exp: Number.MAX_VALUE })).toContain("more than 31 days");
  });

  it("is for exactly one audience", () => {
    const problem = (aud: string | string[]) => problemOfAudience({ ...claims, aud }, "https://gantry.test");
    expect(problem("https://gantry.test")).toBeNull();
    expect(problem(["https://gantry.test"])).toBeNull();
    expect(problem("https://gantry.test/")).toContain("https://gantry.test/");
    expect(problem(["https://gantry.test", "https://other.test"])).toContain("several");
    expect(problem([])).toContain("several");
  });
});
