import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SetVariable } from "#contract/endpoints/variables/schemas.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import { generateKeyPair, type KeyPair } from "#sealing/hpke.ts";
import {
  fingerprintOf,
  openSecret,
  type SealedForServers,
  sealForServers,
  sealSecret,
  type SecretPlace,
} from "#sealing/secret-box.ts";

const ids = createIdGenerator({
  now: Date.now,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
const place = { account_id: ids.account(), project_id: ids.project(), name: "DATABASE_URL", revision: 4 };
/** Begins with a byte order mark, which is part of a value. */
const value = "\ufeffpostgres://app:pässwörd@db/shop";

/** Places that differ from `place` in one part. */
const others: readonly SecretPlace[] = [
  { ...place, account_id: ids.account() },
  { ...place, project_id: ids.project() },
  { ...place, name: "DATABASE" },
  { ...place, revision: 5 },
];

const newServers = async (count: number) => await Promise.all(Array.from({ length: count }, generateKeyPair));

async function sealFor(servers: readonly KeyPair[], at = place, text = value): Promise<SealedForServers> {
  const sealed = await sealForServers(
    servers.map(({ publicKey }) => toBase64Url(publicKey)),
    at,
    text,
  );
  if (sealed === null) throw new Error("a key is not valid");
  return sealed;
}

/** What the control plane sends a server: its box, and the ciphertext if there is one. */
async function partOf(server: KeyPair, { sealed, ...shared }: SealedForServers) {
  const fingerprint = await fingerprintOf(server.publicKey);
  return { ...shared, box: sealed.find((one) => one.fingerprint === fingerprint)?.box ?? "" };
}

const openAt = async (server: KeyPair, sealed: SealedForServers, at: SecretPlace = place) =>
  await openSecret(server, at, await partOf(server, sealed));

/** The text with one bit of its bytes flipped. */
function flipped(text: string, bit: number): string {
  const bytes = fromBase64Url(text) ?? new Uint8Array(0);
  return toBase64Url(bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)));
}
const bitsOf = (text: string) => (fromBase64Url(text)?.length ?? 0) * 8;

describe("a sealed secret", () => {
  it("opens with the server's key and names it by its fingerprint", async () => {
    const keys = await generateKeyPair();
    const sealed = await sealSecret(toBase64Url(keys.publicKey), place, value);
    expect(sealed?.fingerprint).toMatch(/^[\w-]{22}$/);
    expect(await openSecret(keys, place, { box: sealed?.box ?? "" })).toBe(value);
  });

  it.each([1, 2, 50])("opens on each of %i servers, and on no other", async (count) => {
    const servers = await newServers(count);
    const sealed = await sealFor(servers);
    expect(SetVariable.parse({ name: place.name, secret: true, ...sealed })).toMatchObject(sealed);
    const opened = await Promise.all(servers.map(async (server) => await openAt(server, sealed)));
    expect(opened).toEqual(servers.map(() => value));
    const stranger = await generateKeyPair();
    for (const { box } of sealed.sealed)
      expect(await openSecret(stranger, place, { ...sealed, box })).toBeNull();
  });

  it("has the value in the box for one server, as agents of an earlier version open it", async () => {
    const [server] = await newServers(1);
    if (server === undefined) throw new Error("one server");
    const { sealed, ciphertext } = await sealFor([server, server]);
    expect([sealed.length, ciphertext]).toEqual([1, undefined]);
    expect(await openSecret(server, place, { box: sealed[0]?.box ?? "" })).toBe(value);
  });

  it("for 50 servers is little longer than its value, which it has once", async () => {
    const servers = await newServers(50);
    const sealed = await sealFor(servers, place, "x".repeat(32 * 1024));
    expect(JSON.stringify(sealed).length).toBeLessThan((32 * 1024 * 4) / 3 + 50 * 160);
  });

  it.each([1, 3])("for %i servers does not open for another place", async (count) => {
    const servers = await newServers(count);
    const [server = await generateKeyPair()] = servers;
    const sealed = await sealFor(servers);
    for (const other of others) expect(await openAt(server, sealed, other)).toBeNull();
  });

  it("does not open with the ciphertext or the box of another secret, also of the same place", async () => {
    const servers = await newServers(2);
    const [server = await generateKeyPair()] = servers;
    const sealed = await sealFor(servers);
    for (const at of [...others, place]) {
      const other = await sealFor(servers, at, "another value");
      const [own, foreign] = [await partOf(server, sealed), await partOf(server, other)];
      for (const mixed of [
        { box: own.box, ciphertext: foreign.ciphertext },
        { box: foreign.box, ciphertext: own.ciphertext },
      ])
        for (const opened of [place, at]) expect(await openSecret(server, opened, mixed)).toBeNull();
    }
  });

  it("does not open with the box of another server", async () => {
    const servers = await newServers(2);
    const [first = await generateKeyPair(), second = await generateKeyPair()] = servers;
    const sealed = await sealFor(servers);
    expect(await openSecret(first, place, await partOf(second, sealed))).toBeNull();
  });

  it("has a key that never opens as a value, nor a value as a key", async () => {
    const servers = await newServers(2);
    const [server = await generateKeyPair()] = servers;
    const { box, ciphertext } = await partOf(server, await sealFor(servers));
    expect(await openSecret(server, place, { box })).toBeNull();
    // A value of 32 bytes, as long as a key.
    const one = await sealFor([server], place, "x".repeat(32));
    expect(await openSecret(server, place, { ...(await partOf(server, one)), ciphertext })).toBeNull();
  });

  it("does not open after any change of a bit, or cut anywhere", async () => {
    const servers = await newServers(2);
    const [server = await generateKeyPair()] = servers;
    const part = await partOf(server, await sealFor(servers, place, "pass"));
    const { box, ciphertext = "" } = part;
    for (let bit = 0; bit < bitsOf(box); bit += 1)
      // X25519 ignores the highest bit of a public key (RFC 7748 section 5), but HPKE's key schedule does not.
      expect(await openSecret(server, place, { ...part, box: flipped(box, bit) }), `box ${bit}`).toBeNull();
    for (let bit = 0; bit < bitsOf(ciphertext); bit += 1)
      expect(
        await openSecret(server, place, { ...part, ciphertext: flipped(ciphertext, bit) }),
        `ciphertext ${bit}`,
      ).toBeNull();
    for (let length = 0; length < ciphertext.length; length += 1)
      expect(
        await openSecret(server, place, { ...part, ciphertext: ciphertext.slice(0, length) }),
      ).toBeNull();
    for (let length = 0; length < box.length; length += 1)
      expect(await openSecret(server, place, { ...part, box: box.slice(0, length) })).toBeNull();
  });

  it("opens for any value and number of servers, and only at its own place", async () => {
    const all = await newServers(6);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.subarray(all, { minLength: 1 }),
        fc.constantFrom(...others),
        async (text, servers, other) => {
          const sealed = await sealFor(servers, place, text);
          for (const server of all) {
            const opens = servers.includes(server);
            expect(await openAt(server, sealed)).toBe(opens ? text.toWellFormed() : null);
            expect(await openAt(server, sealed, other)).toBeNull();
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("cannot be sealed for something that is not a key", async () => {
    const { publicKey } = await generateKeyPair();
    for (const key of ["", "*", "AAAA", toBase64Url(new Uint8Array(32)), toBase64Url(new Uint8Array(33))]) {
      expect(await sealSecret(key, place, value)).toBeNull();
      expect(await sealForServers([toBase64Url(publicKey), key], place, value)).toBeNull();
    }
    expect(await sealForServers([], place, value)).toBeNull();
    expect(await openSecret(await generateKeyPair(), place, { box: "not base64!" })).toBeNull();
  });
});
