import { execFileSync } from "node:child_process";
import {
  chmodSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import * as fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { describeTree, PackingPlace } from "./trees.ts";

const place = new PackingPlace();
beforeEach(() => place.clear());
afterAll(() => place.remove());

/** The tree that comes out of a pack and an unpack. */
async function passed(change: Parameters<PackingPlace["pack"]>[0] = {}): Promise<readonly string[]> {
  const packed = await place.pack(change);
  if (!packed.ok) throw new Error(packed.problem.message);
  const unpacked = await place.unpack(packed.value);
  if (!unpacked.ok) throw new Error(unpacked.problem.message);
  return describeTree(place.into);
}

const name = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}$/).map((text) => Buffer.from(text)),
  fc
    .constantFrom("é ü.txt", "日本語", "-rf", "a\nb", '\'"$x"', "x".repeat(120), "y".repeat(255), "...")
    .map((text) => Buffer.from(text)),
  // Not UTF-8.
  fc.constant(Buffer.from([0x66, 0xff, 0xfe])),
);
const size = fc.constantFrom(0, 1, 511, 512, 513, 65_535, 65_536, 65_537, 300_000);
const node = fc.letrec<{ tree: TestNode; leaf: TestNode }>((tie) => ({
  leaf: fc.oneof(
    fc.record({
      kind: fc.constant("file" as const),
      size,
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o400, 0o664, 0o777),
    }),
    fc.record({
      kind: fc.constant("link" as const),
      target: fc.constantFrom("a", "../b", "/usr/bin/env", "z".repeat(180), "日本"),
    }),
    fc.record({ kind: fc.constant("hard" as const) }),
  ),
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("leaf"),
    fc.record({
      kind: fc.constant("folder" as const),
      mode: fc.constantFrom(0o755, 0o700, 0o775),
      inner: fc.array(fc.tuple(name, tie("tree")), { maxLength: 5 }),
    }),
  ),
})).tree;

type TestNode =
  | { kind: "file"; size: number; mode: number }
  | { kind: "link"; target: string }
  | { kind: "hard" }
  | { kind: "folder"; mode: number; inner: [Buffer, TestNode][] };

function write(folder: Buffer, inner: readonly [Buffer, TestNode][], files: Buffer[]): void {
  const used = new Set<string>();
  for (const [called, child] of inner) {
    const path = Buffer.concat([folder, Buffer.from("/"), called]);
    if (used.has(called.toString("latin1"))) continue;
    used.add(called.toString("latin1"));
    if (child.kind === "folder") {
      mkdirSync(path);
      write(path, child.inner, files);
      chmodSync(path, child.mode);
    } else if (child.kind === "link") symlinkSync(child.target, path);
    else if (child.kind === "hard") {
      const first = files.at(-1);
      if (first !== undefined) linkSync(first, path);
    } else {
      writeFileSync(path, Buffer.alloc(child.size, `${child.size}`));
      chmodSync(path, child.mode);
      utimesSync(path, 1_700_000_000, 1_600_000_000 + child.size);
      files.push(path);
    }
  }
}

describe("a packed folder", () => {
  it("is the same tree after it is unpacked, whatever names, modes and links it has", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, node), { maxLength: 6 }), async (inner) => {
        place.clear();
        write(Buffer.from(place.tree), inner, []);
        // The owner gets the rights to read and delete everything.
        const readable = (line: string) => line.replace(/ 400 /, " 600 ");
        // Small parts, so that there are several.
        expect(await passed({ partBytes: 700 })).toEqual(describeTree(place.tree).map(readable));
      }),
      { numRuns: 60 },
    );
  });

  it("keeps paths that are longer than the names of the oldest format", async () => {
    const deep = join(place.tree, ...Array.from({ length: 12 }, () => "d".repeat(200)));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, "f".repeat(200)), "deep");
    expect(await passed()).toEqual(describeTree(place.tree));
  });

  it("keeps the holes of sparse files", async () => {
    const path = join(place.tree, "database");
    const file = openSync(path, "w");
    writeSync(file, "start", 0);
    writeSync(file, "middle", 30 * 1024 * 1024);
    ftruncateSync(file, 64 * 1024 * 1024);
    expect(await passed()).toEqual(describeTree(place.tree));
    expect(statSync(join(place.into, "database")).blocks).toBeLessThan(1_000);
    expect(statSync(join(place.parts, "1")).size).toBeLessThan(100_000);
  });

  it("has no repository of git, and nothing that is left out", async () => {
    execFileSync("git", ["init", "--quiet", place.tree]);
    mkdirSync(join(place.tree, "module"));
    writeFileSync(join(place.tree, "module", ".git"), "gitdir: ../.git/modules/module");
    mkdirSync(join(place.tree, ".next", "cache"), { recursive: true });
    writeFileSync(join(place.tree, ".next", "cache", "1"), "cached");
    writeFileSync(join(place.tree, ".gitignore"), "x");
    await passed({ leavesOut: (path) => path === ".next/cache" });
    expect(describeTree(place.into).map((line) => line.split(" ")[0])).toEqual([
      "/.gitignore",
      "/.next/",
      "/module/",
    ]);
  });

  it("refuses a socket, with its name", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(place.tree, "app.sock"), resolve));
    const packed = await place.pack();
    server.close();
    expect(packed).toMatchObject({
      ok: false,
      problem: { kind: "refused", message: "`app.sock` is a socket" },
    });
  });

  it("is refused if a file becomes shorter while the folder is read", async () => {
    const paths = ["a", "b"].map((file) => join(place.tree, file));
    for (const path of paths) writeFileSync(path, "x".repeat(300_000));
    const packed = await place.pack({ onProgress: () => writeFileSync(paths[1] ?? "", "x") });
    const message = "`b` changed while it was read";
    expect(packed).toMatchObject({ ok: false, problem: { kind: "changed", message } });
  });

  it("gets the path of the folder in which it is unpacked, in links and in text files", async () => {
    const inner = (text: string) => text.replaceAll(place.tree, place.into);
    const script = `#!${place.tree}/.venv/bin/python\nprint("${place.tree}2")\n`;
    writeFileSync(join(place.tree, "script"), script, { mode: 0o755 });
    // Where one piece of the content ends and the next begins.
    const large = `${"x".repeat(256 * 1024 - 20)}${place.tree}/end`;
    writeFileSync(join(place.tree, "large"), large);
    writeFileSync(join(place.tree, "program"), `\0${place.tree}/lib`);
    symlinkSync(`${place.tree}/script`, join(place.tree, "link"));
    await passed({ home: place.folder });
    const read = (file: string) => readFileSync(join(place.into, file), "utf8");
    expect(read("script")).toBe(`#!${place.into}/.venv/bin/python\nprint("${place.tree}2")\n`);
    expect(statSync(join(place.into, "script")).mode & 0o777).toBe(0o755);
    expect(read("large")).toBe(inner(large));
    expect(read("program")).toBe(`\0${place.tree}/lib`);
    expect(readlinkSync(join(place.into, "link"))).toBe(`${place.into}/script`);
  });

  it.each([
    ["with no path", { a: "x" }, false],
    ["with its own path in a text", { a: "own" }, false],
    ["with its own path in a binary file", { a: "\0own" }, true],
    ["with a path of a tool", { a: "home/tools/python own" }, true],
    [
      "with a path of a tool in two pieces of the content",
      { a: `${"x".repeat(256 * 1024 - 3)}home/tools` },
      true,
    ],
  ])("depends on the folder of the machine %s: %s", async (_what, files, depends) => {
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(place.tree, file), text.replace("home", place.folder).replace("own", place.tree));
    expect(await place.pack({ home: place.folder })).toMatchObject({ value: { dependsOnHome: depends } });
  });

  it("knows whether it has programs, and links to tools of the machine", async () => {
    expect(await place.pack({ home: place.folder })).toMatchObject({
      value: { hasPrograms: false, dependsOnHome: false },
    });
    place.clear();
    writeFileSync(join(place.tree, "program"), readFileSync(process.execPath).subarray(0, 1_000));
    symlinkSync(join(place.folder, "tools", "python"), join(place.tree, "python"));
    expect(await place.pack({ home: place.folder })).toMatchObject({
      value: { hasPrograms: true, dependsOnHome: true },
    });
  });

  it("stops when it is aborted", async () => {
    writeFileSync(join(place.tree, "file"), "x".repeat(1_000_000));
    const stop = new AbortController();
    const packing = place.pack({ signal: stop.signal, beforePart: async () => stop.abort() });
    await expect(packing).rejects.toThrow("aborted");
  });
});
