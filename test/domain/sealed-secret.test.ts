import { describe, expect, it } from "vitest";

import { MAX_VALUES_BYTES } from "#contract/endpoints/variables/schemas.ts";
import {
  secretBytes,
  secretFor,
  sealedFor,
  serversWithoutBox,
  StoredSecret,
  storedSecret,
} from "#domain/sealed-secret.ts";
import { decideChanges } from "#domain/variable-changes.ts";

const fingerprint = (letter: string) => letter.repeat(22);
const boxFor = (letter: string, bytes = 80) => ({
  fingerprint: fingerprint(letter),
  box: "A".repeat(Math.ceil((bytes * 4) / 3)),
});
const ciphertextOf = (bytes: number) => "A".repeat(Math.ceil(((bytes + 28) * 4) / 3));
const server = (letter: string | null) => ({
  id: letter,
  sealKey: letter === null ? null : { fingerprint: fingerprint(letter) },
});

describe("a stored secret", () => {
  it("without a ciphertext is a list, which an earlier version reads", () => {
    const boxes = [boxFor("A"), boxFor("B")];
    expect(StoredSecret.parse(storedSecret(boxes, undefined))).toEqual(boxes);
    expect(secretFor(boxes, fingerprint("B"))).toEqual(boxFor("B"));
  });

  it("gives a server its own box and the ciphertext, and no box of another server", () => {
    const stored = StoredSecret.parse(storedSecret([boxFor("A"), boxFor("B")], "abcd"));
    expect(secretFor(stored, fingerprint("B"))).toEqual({ ...boxFor("B"), ciphertext: "abcd" });
    expect(secretFor(stored, fingerprint("C"))).toBeNull();
    expect(secretFor(stored, null)).toBeNull();
    expect(secretFor([], fingerprint("A"))).toBeNull();
  });

  it("names the servers that cannot open it, also the servers without a key", () => {
    const opens = sealedFor(storedSecret([boxFor("A"), boxFor("B")], "abcd"));
    const servers = [server("A"), server("C"), server(null), server("B")];
    expect(serversWithoutBox(opens, servers)).toEqual([server("C"), server(null)]);
    expect(serversWithoutBox([], [])).toEqual([]);
  });

  it("has as many bytes as its value, for any number of servers", () => {
    for (const bytes of [0, 1, 2, 3, 1000]) {
      expect(secretBytes([boxFor("A", bytes + 48), boxFor("B", bytes + 48)])).toBe(bytes);
      expect(secretBytes(storedSecret([boxFor("A"), boxFor("B")], ciphertextOf(bytes)))).toBe(bytes);
    }
    expect(secretBytes([])).toBe(0);
  });

  it("counts with its value only against the limit of all values", () => {
    const size = 32 * 1024;
    const sealed = Array.from({ length: 50 }, (_, at) => boxFor(String.fromCodePoint(65 + at)));
    const secrets = Array.from({ length: MAX_VALUES_BYTES / size }, (_, at) => ({
      name: `S${at}`,
      secret: true,
      sealed,
      ciphertext: ciphertextOf(size),
    }));
    expect(decideChanges([], { set: secrets, remove: [] })).toMatchObject({ ok: true });
    const more = { ...secrets[0], name: "MORE", secret: true, ciphertext: ciphertextOf(1) };
    const current = secrets.map((one) => ({
      ...one,
      ...{ build: false, value: null, sealed: storedSecret(one.sealed, one.ciphertext) },
    }));
    for (const before of [[], current]) {
      const set = before.length === 0 ? [...secrets, more] : [more];
      expect(decideChanges(before, { set, remove: [] })).toMatchObject({ refusal: { code: "too_many" } });
    }
  });
});
