import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readToolRequests } from "#build/tools/read-tool-requests.ts";
import { readRepository } from "#build/tree/read-repository.ts";
import { readTree } from "#build/tree/read-tree.ts";

let release: string;
beforeEach(() => {
  release = realpathSync(mkdtempSync(join(tmpdir(), "gantry-files-")));
});
afterEach(() => rmSync(release, { recursive: true }));

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(release, path)), { recursive: true });
  writeFileSync(join(release, path), content);
}
/** Why the files cannot be used; null if they can. */
async function problem(root = ".") {
  const folder = join(release, root);
  const [tree, repository] = [await readTree(release, folder, "Dockerfile"), await readRepository(folder)];
  if (!tree.ok) return tree.problem;
  return repository.ok ? null : repository.problem;
}
const utf16 = (text: string) => Buffer.from(text, "utf16le");
const utf16WithMark = (text: string) => utf16(`\uFEFF${text}`);
const bigEndian = (text: string) => utf16WithMark(text).swap16();

describe("a file of a repository that cannot be read", () => {
  it.each([
    ["package.json", utf16WithMark("{}"), "line 1 is encoded in UTF-16"],
    ["requirements.txt", utf16WithMark("flask==3.0.0\r\n"), "line 1 is encoded in UTF-16"],
    ["Procfile", bigEndian("web: node server.js\n"), "line 1 is encoded in UTF-16"],
    ["gantry.json", utf16("{}"), "line 1 is encoded in UTF-16 without a byte order mark"],
    ["composer.json", utf16('{"require": {}}'), "line 1 is encoded in UTF-16 without a byte order mark"],
    ["Pipfile", Buffer.from([0xff, 0xfe, 0, 0, 0x5b, 0, 0, 0]), "line 1 is encoded in UTF-32"],
    [
      "pyproject.toml",
      Buffer.from('[project]\nname = "caf\xe9"\n', "latin1"),
      "line 2 is not UTF-8: it has the byte 0xE9",
    ],
    [
      "requirements.txt",
      Buffer.from("flask\r\n# f\xfcr\r\n", "latin1"),
      "line 2 is not UTF-8: it has the byte 0xFC",
    ],
    ["package.json", '{\n"name": "a\0b" }', "line 2 has a NUL character"],
    [".nvmrc", "20\0\n", "line 1 has a NUL character"],
    [".python-version", utf16WithMark("3.12"), "line 1 is encoded in UTF-16"],
  ])("is named with its line and its encoding: %s", async (name, content, why) => {
    write(name, content);
    expect(await problem()).toEqual({
      message: `${name} cannot be read: ${why}`,
      hint: expect.stringContaining(`Save ${name} as UTF-8`),
    });
  });

  it("is a problem as a folder, as a link that leads nowhere or out, and if it is far too large", async () => {
    mkdirSync(join(release, "package.json"));
    expect(await problem()).toMatchObject({ message: "package.json is a folder, and not a file" });
    rmSync(join(release, "package.json"), { recursive: true });
    for (const target of ["missing.json", "/etc/hostname"]) {
      symlinkSync(target, join(release, "package.json"));
      expect(await problem()).toEqual({
        message: "package.json is a symbolic link that leads to no file of the repository",
        hint: "Put the file package.json itself there.",
      });
      rmSync(join(release, "package.json"));
    }
    write("package.json", `{"a": "${"x".repeat(600_000)}"}`);
    expect(await problem()).toMatchObject({ message: "package.json is larger than 512 KiB" });
  });

  it("is a problem in a folder above too, if the project depends on it", async () => {
    write("apps/web/index.html", "");
    write("package.json", "{,}");
    expect(await problem("apps/web")).toBeNull();
    write("apps/web/package.json", "{}");
    expect(await problem("apps/web")).toMatchObject({
      message: 'package.json is not JSON: a name in double quotes is expected, not ",", in line 1, column 2',
    });
    write("package.json", "{}");
    write("apps/web/package.json", "{,}");
    expect(await problem("apps/web")).toMatchObject({
      message: expect.stringMatching(/^apps\/web\/package\.json is not JSON/),
    });
  });
});

describe("a file of a repository", () => {
  it("may begin with a byte order mark, and be a link to a file of the repository", async () => {
    write("config/versions/node", "\uFEFF20.11.0\n");
    symlinkSync("config/versions/node", join(release, ".nvmrc"));
    write("web/package.json", '\uFEFF{"dependencies": {"express": "4"}}');
    symlinkSync("web/package.json", join(release, "package.json"));
    write("Procfile", "\uFEFFweb: node index.js\n");
    write("gantry.json", '\uFEFF{"framework": "express"}');
    const read = await readTree(release, release, "Dockerfile");
    expect(read.ok && read.value.tree.signs.has("npm:express")).toBe(true);
    expect(await readRepository(release)).toMatchObject({
      value: { build: { framework: "express" }, procfile: new Map([["web", "node index.js"]]) },
    });
    const requests = await readToolRequests(release, release);
    expect(requests.get("node")).toMatchObject([{ written: "20.11.0", file: ".nvmrc" }]);
  });

  it("has a note if only its name is wrong", async () => {
    write("procfile", "web: x");
    write("requirements.txt.txt", "");
    write("Package.json", "{}");
    write("notes.txt", "");
    write("requirements/base.txt", "");
    expect(await readTree(release, release, "Dockerfile")).toMatchObject({
      value: {
        notes: [
          "Package.json is not read: the name of this file must be exactly package.json",
          "procfile is not read: the name of this file must be exactly Procfile",
          "requirements.txt.txt is not read: the name of this file must be exactly requirements.txt",
        ],
      },
    });
    write("package.json", "{}");
    write("Procfile", "web: y");
    write("requirements.txt", "");
    expect(await readTree(release, release, "Dockerfile")).toMatchObject({ value: { notes: [] } });
  });
});
