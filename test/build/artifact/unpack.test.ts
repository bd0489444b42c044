import { execFileSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";

import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { replaceInFiles } from "#build/artifact/replace-in-files.ts";
import { checkParts, openParts, partPath, sealParts } from "#build/artifact/sealed-parts.ts";
import { endOfArchive, padding, type TarHeader } from "#build/artifact/tar/header.ts";
import { encodeEntry } from "#build/artifact/tar/pax.ts";
import { unpackTar } from "#build/artifact/unpack-artifact.ts";

import { describeTree, never, PackingPlace } from "./trees.ts";

const place = new PackingPlace();
beforeEach(() => place.clear());
afterAll(() => place.remove());

const usual: TarHeader = { path: "file", flag: "0", mode: 0o644, size: 0, mtime: 0, target: "" };
const entry = (change: Partial<TarHeader>, content = ""): Buffer =>
  Buffer.concat([
    encodeEntry({ ...usual, size: Buffer.byteLength(content), ...change }),
    Buffer.from(content),
    padding(Buffer.byteLength(content)),
  ]);
const folder = (path: string) => entry({ path, flag: "5", mode: 0o755 });
const link = (path: string, target: string) => entry({ path, flag: "2", target });
const hardLink = (path: string, target: string) => entry({ path, flag: "1", target });

const unpack = (...pieces: readonly Buffer[]) =>
  unpackTar(Readable.from([Buffer.concat([...pieces, endOfArchive()])]), { into: place.into, signal: never });

it("a path is not replaced in a file that would grow by much more than its size", async () => {
  mkdirSync(place.into, { recursive: true });
  writeFileSync(join(place.into, "slashes"), "/".repeat(100_000));
  const paths = { from: "/", to: "/var/lib/gantry/releases/1" };
  await expect(replaceInFiles(place.into, ["slashes"], paths, never)).rejects.toThrow("not valid");
});

describe("an archive that somebody else has made", () => {
  it.each([
    ["../outside", [entry({ path: "../outside" }, "x")]],
    ["a path to the root", [entry({ path: "/tmp/outside" }, "x")]],
    ["a path with .. in the middle", [folder("a"), entry({ path: "a/../../outside" }, "x")]],
    ["a path with a NUL", [entry({ path: `${"a".repeat(101)}\0b` }, "x")]],
    ["a name that is too long", [entry({ path: "x".repeat(256) }, "x")]],
    ["a path that is too long", [entry({ path: "x/".repeat(1_600) + "y" }, "x")]],
    ["a file below a link", [link("out", "../.."), entry({ path: "out/file" }, "x")]],
    ["a link and then a file in its place", [link("out", "../outside"), entry({ path: "out" }, "x")]],
    ["a file below a file", [entry({ path: "a" }, "x"), entry({ path: "a/b" }, "x")]],
    ["the same file twice", [entry({ path: "a" }, "x"), entry({ path: "./a" }, "y")]],
    ["a folder in the place of a link", [link("a", "b"), folder("a")]],
    ["a hard link to a file outside", [hardLink("a", "../../secret")]],
    ["a hard link to the root", [hardLink("a", "/etc/passwd")]],
    ["a hard link to a link", [link("a", "/etc/passwd"), hardLink("b", "a")]],
    ["a hard link to a later file", [hardLink("b", "a"), entry({ path: "a" }, "x")]],
    ["a link without a target", [link("a", "")]],
    ["a character device", [entry({ path: "tty", flag: "3" })]],
    ["a block device", [entry({ path: "sda", flag: "4" })]],
    ["a pipe", [entry({ path: "pipe", flag: "6" })]],
    ["a sparse file of the old form", [entry({ path: "sparse", flag: "S" })]],
    ["more bytes than allowed", [entry({ path: "bomb", size: 17 * 1024 ** 3 })]],
    ["a negative size", [withSize("-0000000001")]],
    ["a size that no number can have", [withSize("\u0080".padEnd(4, "\u0000").padEnd(12, "\u00ff"))]],
    ["a huge header", [entry({ path: "pax", flag: "x", size: 2_000_000 })]],
    ["a pax header without a length", [entry({ path: "pax", flag: "x" }, "path=/etc/passwd\n")]],
  ])("is refused with %s, and writes nothing outside of its folder", async (_what, pieces) => {
    const before = describeTree(place.folder).filter((line) => !line.startsWith("/into"));
    const unpacked = await unpack(...pieces);
    expect(unpacked).toMatchObject({ ok: false, problem: { kind: "invalid" } });
    expect(describeTree(place.folder).filter((line) => !line.startsWith("/into"))).toEqual(before);
    expect(existsSync("/tmp/outside")).toBe(false);
  });

  it("never gives a file the rights of its owner to others", async () => {
    expect(
      await unpack(entry({ path: "su", mode: 0o6755 }, "x"), entry({ path: "none", mode: 0 }, "x")),
    ).toMatchObject({ ok: true });
    expect(describeTree(place.into).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "/none 600",
      "/su 755",
    ]);
  });

  it("may have links to anywhere, which nothing is written through", async () => {
    writeFileSync(join(place.tree, "secret"), "mine");
    expect(await unpack(link("a", place.tree), link("b", "../tree/secret"))).toMatchObject({ ok: true });
    expect(readFileSync(join(place.tree, "secret"), "utf8")).toBe("mine");
  });

  it("is refused without its end, wherever it is cut", async () => {
    const whole = Buffer.concat([folder("a"), entry({ path: "a/b" }, "x".repeat(600)), endOfArchive()]);
    for (const length of [0, 3, 100, 512, 1_000, 1_024, 1_600, 2_048, 2_560, whole.length - 512]) {
      place.clear();
      const cut = Readable.from([whole.subarray(0, length)]);
      const unpacked = await unpackTar(cut, { into: place.into, signal: never });
      expect(unpacked, `${length} bytes`).toMatchObject({ ok: false, problem: { kind: "invalid" } });
    }
  });

  it("is refused if its names would fill the memory", async () => {
    const target = "x".repeat(4_000);
    async function* links() {
      for (let at = 0; at < 34_000; at += 1) yield link(`link${at}`, target);
      yield endOfArchive();
    }
    const unpacked = await unpackTar(links(), { into: place.into, signal: never });
    expect(unpacked).toMatchObject({ problem: { message: "its paths have more than 128 MiB together" } });
  });

  it.each([
    ["after its end", [entry({}, "x"), endOfArchive()]],
    ["in a header", [entry({ path: "x", flag: "g", size: 512 }).subarray(0, 512)]],
  ])("can be stopped in the middle of what nobody reads: %s", async (_, start) => {
    const stop = new AbortController();
    async function* endless() {
      yield* start;
      for (let at = 0; at < 100; at += 1) {
        if (at === 50) stop.abort(new Error("stopped"));
        yield Buffer.alloc(64 * 1024);
      }
    }
    await expect(unpackTar(endless(), { into: place.into, signal: stop.signal })).rejects.toThrow("stopped");
  });

  it("is refused with damaged compression", async () => {
    writeFileSync(
      join(place.tree, "file"),
      Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at) % 251)),
    );
    for (const [option, name] of [
      ["-z", "tar.gz"],
      ["--zstd", "tar.zst"],
    ] as const) {
      const path = join(place.parts, name);
      execFileSync("tar", [option, "-cf", path, "-C", place.tree, "."]);
      const bytes = readFileSync(path);
      for (const damaged of [
        bytes.subarray(0, bytes.length - 5),
        flipped(bytes, Math.floor(bytes.length / 2)),
      ]) {
        const unpacked = await unpackTar(Readable.from([damaged]), { into: place.into, signal: never });
        expect(unpacked, name).toMatchObject({ ok: false, problem: { kind: "invalid" } });
        place.clear();
      }
      mkdirSync(place.tree, { recursive: true });
      writeFileSync(
        join(place.tree, "file"),
        Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at) % 251)),
      );
    }
  });
});

describe("an archive of the system's tar", () => {
  it.each([
    ["pax", ["--format=pax"]],
    ["GNU's own format", ["--format=gnu"]],
    ["ustar", ["--format=ustar"]],
    ["the oldest format", ["--format=v7"]],
    ["gzip", ["--gzip"]],
    ["zstd", ["--zstd"]],
    ["full paths", ["--format=pax", "--transform=s,^\\.,./.,"]],
  ])("is unpacked in %s", async (_what, options) => {
    const isOld = options[0] === "--format=v7" || options[0] === "--format=ustar";
    const long = isOld ? "long" : "d".repeat(150);
    mkdirSync(join(place.tree, long, "empty"), { recursive: true });
    writeFileSync(join(place.tree, long, "é 日本"), "x".repeat(70_000), { mode: 0o755 });
    execFileSync("ln", [join(place.tree, long, "é 日本"), join(place.tree, long, "zweite")]);
    symlinkSync(isOld ? "target" : "t".repeat(200), join(place.tree, "link"));
    const path = join(place.parts, "archive");
    execFileSync("tar", [...options, "-cf", path, "-C", place.tree, "."]);
    const unpacked = await unpackTar(createReadStream(path), { into: place.into, signal: never });
    expect(unpacked).toMatchObject({ ok: true });
    expect(describeTree(place.into)).toEqual(describeTree(place.tree));
  });

  it("is refused in a sparse form, with what to do", async () => {
    execFileSync("truncate", ["--size=10M", join(place.tree, "sparse")]);
    const path = join(place.parts, "archive");
    execFileSync("tar", ["--sparse", "--format=pax", "-cf", path, "-C", place.tree, "."]);
    const unpacked = await unpackTar(createReadStream(path), { into: place.into, signal: never });
    expect(unpacked).toMatchObject({ ok: false, problem: { message: expect.stringContaining("--sparse") } });
  });
});

describe("the parts of an artifact", () => {
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256));
  const seal = async () => {
    const { parts: folderOfParts, key, projectId } = place;
    return await sealParts(Readable.from([content]), {
      ...{ folder: folderOfParts, key, projectId, signal: never, partBytes: 1_016 },
      beforePart: async () => undefined,
    });
  };
  async function open(parts: number, change: Partial<Pick<PackingPlace, "key" | "projectId">> = {}) {
    const pieces: Buffer[] = [];
    const { key = place.key, projectId = place.projectId } = change;
    for await (const piece of openParts(place.parts, { parts }, { key, projectId }, never))
      pieces.push(piece);
    return Buffer.concat(pieces);
  }

  it("have the same content when they are opened, and all but the last the same size", async () => {
    const sealed = await seal();
    expect(sealed).toMatchObject({ bytes: 5_080, parts: 5 });
    expect((await open(5)).equals(content)).toBe(true);
    for (const part of [1, 2, 3, 4]) expect(readFileSync(partPath(place.parts, part))).toHaveLength(1_016);
  });

  it("are refused with a flipped bit, cut off, in another order, with another key or for another project", async () => {
    const sealed = await seal();
    const first = readFileSync(partPath(place.parts, 1));
    const second = readFileSync(partPath(place.parts, 2));
    const damaged = /part 1 is damaged, or was made for another project/;
    await expect(open(5, { projectId: new PackingPlace().projectId })).rejects.toThrow(damaged);
    await expect(open(5, { key: Buffer.alloc(32) })).rejects.toThrow(damaged);
    for (const changed of [flipped(first, 0), flipped(first, 1_015), first.subarray(0, 900), second]) {
      writeFileSync(partPath(place.parts, 1), changed);
      await expect(open(5)).rejects.toThrow(damaged);
      expect(await checkParts(place.parts, sealed, never)).toMatchObject({ kind: "invalid" });
    }
    truncateSync(partPath(place.parts, 1), 0);
    await expect(open(5)).rejects.toThrow("it has an empty part");
  });
});

/** An entry whose size is this text, with a correct checksum. */
function withSize(text: string): Buffer {
  const block = encodeEntry(usual);
  block.write(text.padEnd(12, "\0"), 124, 12, "latin1");
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8, "latin1");
  return block;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
