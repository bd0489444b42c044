import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { describe, expect, it } from "vitest";

import { readPackageHashes, type System } from "../../scripts/check/package-hashes.ts";

const linux: System = { os: "linux", cpu: "x64", libc: "glibc" };
const mac: System = { os: "darwin", cpu: "arm64", libc: null };
const sha512 = `sha512-${Buffer.alloc(64, 7).toString("base64")}`;
const lockOf = (packages: object) =>
  JSON.stringify({ lockfileVersion: 3, packages: { "": { name: "gantry" }, ...packages } });
const check = (entry: object, system = linux) =>
  readPackageHashes(lockOf({ "node_modules/part": { version: "1.0.0", ...entry } }), system);

const refused = { refused: ["node_modules/part 1.0.0"], others: [] };
const other = { refused: [], others: ["node_modules/part 1.0.0"] };
const fine = { refused: [], others: [] };

describe("a package without a hash", () => {
  it.each([
    ["for every system", {}, refused],
    ["that is optional, and for every system", { optional: true }, refused],
    ["for this system", { os: ["linux"], cpu: ["x64"], libc: ["glibc"] }, refused],
    ["for all systems but another", { os: ["!win32"] }, refused],
    ["with no more than SHA-1", { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }, refused],
    ["with a hash that is none", { integrity: "sha512-" }, refused],
    ["out of a git repository", { resolved: "git+ssh://git@git.test/part.git#abc" }, refused],
  ])("is refused: %s", (_, entry, expected) => expect(check(entry)).toEqual(expected));

  it.each([
    ["for another operating system", { os: ["darwin"] }],
    ["for another processor", { os: ["linux"], cpu: ["arm64"] }],
    ["for another C library", { os: ["linux"], libc: ["musl"] }],
    ["for all systems but this", { os: ["!linux"] }],
  ])("is listed: %s", (_, entry) => expect(check(entry)).toEqual(other));

  it("is refused if it can be installed, and listed otherwise", () => {
    const entry = { optional: true, os: ["darwin"], cpu: ["arm64"] };
    expect([check(entry, linux), check(entry, mac)]).toEqual([other, refused]);
  });

  it.each([
    ["with its hash", { integrity: sha512 }],
    ["with SHA-1 and a better one", { integrity: `sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= ${sha512}` }],
    ["that came in another's archive", { inBundle: true }],
    ["that is a link", { link: true, resolved: "packages/part" }],
  ])("is none: %s", (_, entry) => expect(check(entry)).toEqual(fine));

  it("does not occur in this repository", () => {
    const lock = readFileSync(resolve(import.meta.dirname, "../../package-lock.json"), "utf8");
    expect(readPackageHashes(lock, linux).refused).toEqual([]);
  });
});
