import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { describe, expect, it } from "vitest";

import { readPackageHashes, type System } from "../../../scripts/check/package-hashes.ts";

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

describe("the check of package hashes", () => {
  it.each([
    ["without a hash, for every system", {}, refused],
    ["without a hash, optional, for every system", { optional: true }, refused],
    ["without a hash, for this system", { os: ["linux"], cpu: ["x64"], libc: ["glibc"] }, refused],
    ["without a hash, for all systems but another", { os: ["!win32"] }, refused],
    ["with only SHA-1", { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }, refused],
    ["with an empty hash", { integrity: "sha512-" }, refused],
    ["from a git repository", { resolved: "git+ssh://git@git.test/part.git#abc" }, refused],
  ])("refuses a package %s", (_, entry, expected) => expect(check(entry)).toEqual(expected));

  it.each([
    ["for another operating system", { os: ["darwin"] }],
    ["for another processor", { os: ["linux"], cpu: ["arm64"] }],
    ["for another C library", { os: ["linux"], libc: ["musl"] }],
    ["for all systems but this", { os: ["!linux"] }],
  ])("lists a package without a hash %s", (_, entry) => expect(check(entry)).toEqual(other));

  it("refuses a package without a hash if it can be installed, and lists it otherwise", () => {
    const entry = { optional: true, os: ["darwin"], cpu: ["arm64"] };
    expect([check(entry, linux), check(entry, mac)]).toEqual([other, refused]);
  });

  it.each([
    ["with its hash", { integrity: sha512 }],
    ["with SHA-1 and a better one", { integrity: `sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= ${sha512}` }],
    ["in the archive of another package", { inBundle: true }],
    ["that is a link", { link: true, resolved: "packages/part" }],
  ])("accepts a package %s", (_, entry) => expect(check(entry)).toEqual(fine));

  it("accepts the lock file of this repository", () => {
    const lock = readFileSync(resolve(import.meta.dirname, "../../../package-lock.json"), "utf8");
    expect(readPackageHashes(lock, linux).refused).toEqual([]);
  });
});
