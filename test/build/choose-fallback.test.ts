import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { chooseFallback } from "#build/choose-fallback.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "gantry-fallback-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function choose(
  files: readonly string[],
  fallback: string | null,
  { framework = "vite", isSet = false }: { framework?: string; isSet?: boolean } = {},
) {
  for (const file of ["dist/index.html", ...files]) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), "");
  }
  const plan = { framework, output_directory: "dist", fallback };
  const chosen = await chooseFallback({ plan, isSet, root, output: join(root, "dist") });
  return chosen.kind === "missing" ? "missing" : chosen.fallback;
}

describe("the fallback of a build", () => {
  it.each<[string, readonly string[], string | null, string | null]>([
    ["is the framework's", [], "index.html", "index.html"],
    ["is none for other frameworks", [], null, null],
    ["is 200.html if the build created it", ["dist/200.html", "dist/404.html"], null, "200.html"],
    ["is the page that Angular creates for it", ["dist/index.csr.html"], "index.html", "index.csr.html"],
    [
      "is the page that React Router creates for it",
      ["dist/__spa-fallback.html"],
      "index.html",
      "__spa-fallback.html",
    ],
    ["is none if the site says what is missing", ["dist/404.html"], "index.html", null],
    ["is none if there are several pages", ["dist/admin/index.html"], "index.html", null],
    [
      "does not count pages that were only copied",
      ["dist/google1.html", "public/google1.html"],
      "index.html",
      "index.html",
    ],
    ["is none if the framework's was not created", [], "app.html", null],
  ])("%s", async (_, files, preset, fallback) => {
    expect(await choose(files, preset)).toBe(fallback);
  });

  it("is what the project says, which must exist", async () => {
    const isSet = true;
    expect(await choose(["dist/404.html"], "index.html", { isSet })).toBe("index.html");
    expect(await choose(["dist/200.html"], null, { isSet })).toBeNull();
    expect(await choose([], "app.html", { isSet })).toBe("missing");
  });

  it("may be beside other pages, if the configuration names it", async () => {
    expect(await choose(["dist/about/index.html"], "index.html", { framework: "react-router" })).toBe(
      "index.html",
    );
  });
});
