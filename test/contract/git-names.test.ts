import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { localPath } from "#contract/addresses/repository-address.ts";
import { Repository } from "#contract/git-names.ts";

const isAccepted = (address: string) => Repository.safeParse(address).success;

describe("a repository on the server", () => {
  it.each([
    "/srv/git/shop.git",
    "//srv/./git/shop",
    "file:///srv/git/my%20shop.git",
    "/srv/proc/shop",
    "/process/shop",
    "/srv/100%/shop",
    "/dev/shm/shop",
  ])("may be %s", (address) => {
    expect(isAccepted(address)).toBe(true);
  });

  it.each([
    "/proc/self/cwd/releases/1/evil.git",
    "//proc/self/cwd",
    "/./proc/1/root/srv",
    "/.//./dev/fd/3",
    "/sys",
    "/dev",
    "/dev/shmem/shop",
    "file:///proc/self/root",
    "file:////proc/self/root",
    "file:///%70roc/self/root",
    "file:///./%2e/%2fdev/fd/3",
  ])("must not be %s, whose path leads each program somewhere else", (address) => {
    const parsed = Repository.safeParse(address);
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([
      "must not be in /proc, /dev or /sys, whose paths lead each program somewhere else",
    ]);
  });

  it.each([
    "file:///srv/%2e%2e/proc/self",
    "file:///srv/..%2fproc",
    "file:///srv/%2Dupload",
    "file:///srv/%0a",
    "file:///srv/%00",
    "file:///srv/%ff/%70roc",
    "file:///srv/%7",
    "file://host/srv",
    "/srv/\ud800",
    "file://",
    "/",
  ])("must not be %s, which git could read differently", (address) => {
    expect(isAccepted(address)).toBe(false);
  });

  it("is never in such a folder, however its path is written", () => {
    const slashes = fc.constantFrom("/", "//", "/./", "/.//");
    const letter = (text: string) =>
      fc.constantFrom(
        text,
        `%${text.charCodeAt(0).toString(16)}`,
        `%${text.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    const folder = fc
      .constantFrom("proc", "dev", "sys")
      .chain((name) => fc.tuple(...name.split("").map(letter)).map((letters) => letters.join("")));
    fc.assert(
      fc.property(slashes, folder, fc.constantFrom("", "/self/root", "/.."), (start, name, rest) => {
        expect(isAccepted(`file://${start}${name}${rest}`)).toBe(false);
      }),
    );
  });

  it("is read by git at the path that is checked", () => {
    expect(localPath("file:///srv/a%20b%2523")).toBe("/srv/a b%23");
    expect(localPath("/srv/a%20b")).toBe("/srv/a%20b");
    expect(localPath("https://git.test/srv")).toBeNull();
  });
});
