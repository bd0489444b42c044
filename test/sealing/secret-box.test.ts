import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { toBase64Url } from "#sealing/bytes.ts";
import { generateKeyPair } from "#sealing/hpke.ts";
import { openSecret, sealSecret } from "#sealing/secret-box.ts";

const ids = createIdGenerator({
  now: Date.now,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
const place = { account_id: ids.account(), project_id: ids.project(), name: "DATABASE_URL", revision: 4 };
/** Begins with a byte order mark, which is part of a value. */
const value = "\ufeffpostgres://app:pässwörd@db/shop";

describe("a sealed secret", () => {
  it("opens with the server's key and names it by its fingerprint", async () => {
    const keys = await generateKeyPair();
    const sealed = await sealSecret(toBase64Url(keys.publicKey), place, value);
    expect(sealed?.fingerprint).toMatch(/^[\w-]{22}$/);
    expect(await openSecret(keys, place, sealed?.box ?? "")).toBe(value);
  });

  it("does not open for another account, project, variable, revision or server", async () => {
    const keys = await generateKeyPair();
    const { box } = (await sealSecret(toBase64Url(keys.publicKey), place, value)) ?? { box: "" };
    const others = [
      { ...place, account_id: ids.account() },
      { ...place, project_id: ids.project() },
      { ...place, name: "DATABASE" },
      { ...place, revision: 5 },
    ];
    for (const other of others) expect(await openSecret(keys, other, box)).toBeNull();
    expect(await openSecret(await generateKeyPair(), place, box)).toBeNull();
  });

  it("cannot be sealed for something that is not a key", async () => {
    for (const key of ["", "*", "AAAA", toBase64Url(new Uint8Array(32)), toBase64Url(new Uint8Array(33))])
      expect(await sealSecret(key, place, value)).toBeNull();
    expect(await openSecret(await generateKeyPair(), place, "not base64!")).toBeNull();
  });
});
