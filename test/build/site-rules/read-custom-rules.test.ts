import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { describeCustomRules } from "#build/site-rules/describe-custom-rules.ts";
import { readCustomRules } from "#build/site-rules/read-custom-rules.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "gantry-rules-"));
  mkdirSync(join(root, "dist"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
const read = () => readCustomRules(join(root, "dist"), root);
const lines = async () => describeCustomRules(await read());

describe("the rules of a site", () => {
  it("are none without files", async () => {
    expect(await read()).toEqual({ redirects: [], headers: [], problems: [], advice: [] });
    expect(await lines()).toEqual([]);
  });

  it("say which redirects never happen, because a page has their path", async () => {
    write({
      "dist/index.html": "",
      "dist/about.html": "",
      "dist/docs/index.html": "",
      "dist/own.html": "",
      "dist/_redirects":
        "/about /x\n/docs/ /x 302\n/docs/a /x\n/ /x\n/about2 /x\n/own.html /own\n/../dist/own /x\n/About /x\n/about q=1 /x\n/own /x 301!\n/index.html /about 200\n",
    });
    const { redirects, problems } = await read();
    expect(redirects.length).toBe(11);
    expect(problems).toEqual([
      {
        file: "_redirects",
        line: 1,
        reason: "/about is a page of the site, which is shown instead. Write 301! to redirect anyway.",
      },
      { file: "_redirects", line: 2, reason: expect.stringContaining("Write 302! to") },
      { file: "_redirects", line: 4, reason: expect.stringContaining("/ is a page") },
    ]);
  });

  it("are not read through a symbolic link, and not from a folder", async () => {
    write({ "secret.txt": "/a /b\n", "dist/_headers/x": "" });
    symlinkSync(join(root, "secret.txt"), join(root, "dist", "_redirects"));
    expect(await read()).toMatchObject({
      redirects: [],
      problems: [
        { file: "_redirects", reason: "The file is a symbolic link, which is not followed." },
        { file: "_headers", reason: "It is no file." },
      ],
    });
  });

  it("name lines with the same reason together, and at most 20 reasons", async () => {
    write({ "dist/_redirects": "/a\n".repeat(32), "dist/_headers": "/a\n A: b\n/b\n" });
    expect(await lines()).toEqual([
      "_headers: headers for 1 path",
      expect.stringMatching(
        /^warning: _redirects, lines 1, 2, 3, 4, 5, 6, 7, 8 and 24 more are not used: The line has/,
      ),
      "warning: _headers, line 3 is not used: The path has no headers that are used.",
    ]);
    write({ "dist/_redirects": Array.from({ length: 32 }, (_, at) => `/a x${at}\n/b x${at}`).join("\n") });
    const text = await lines();
    expect(text.length).toBe(22);
    expect(text[20]).toMatch(/^warning: _redirects, lines 39 and 40 are not used: The target x19 /);
    expect(text[21]).toBe("warning: 25 more lines are not used");
  });

  it("come with advice about files that are elsewhere", async () => {
    write({
      _redirects: "/a /b",
      _headers: "/a\n A: b",
      "dist/_headers": "",
      "netlify.toml": '[build]\n[[redirects]]\nfrom = "/a"\n[[headers]]\n[[redirects]]\n',
    });
    expect(await lines()).toEqual([
      expect.stringMatching(/^warning: _redirects is in the root directory, but not in the output directory/),
      "warning: The redirects and headers in netlify.toml are not used. Write them into _headers and _redirects.",
    ]);
  });
});
