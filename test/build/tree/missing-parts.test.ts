import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { isHiddenFile } from "#build/site-rules/source-files.ts";
import { readCustomRules } from "#build/site-rules/read-custom-rules.ts";
import { missingParts } from "#build/tree/missing-parts.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-missing-parts-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const script = (path: string) => `<script type="module" src="${path}"></script>`;

/** @param files paths, or the lines of `_redirects` */
async function partsOf(page: string, files: readonly string[]): Promise<string | null> {
  const rules = files.filter((file) => file.includes(" ") && file.startsWith("/"));
  const paths = files.filter((file) => !rules.includes(file)).map((file) => [file, ""] as const);
  for (const [path, text] of [["index.html", page], ["_redirects", rules.join("\n")], ...paths] as const) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { redirects } = await readCustomRules(folder, folder);
  return missingParts(folder, isHiddenFile, redirects);
}

const missing = (path: string) =>
  `index.html loads ${path}, which the site does not have: does it need a build_command, or another output_directory?`;

it.each<[string, string, readonly string[], string | null]>([
  ["a script that exists", script("/assets/a.js?v=1"), ["assets/a.js"], null],
  ["a relative path with a space", script("my%20app.js"), ["my app.js"], null],
  ["other sites", `${script("https://cdn.example/a.js")}${script("//cdn.example/b.js")}`, [], null],
  ["a comment", `<!-- ${script("/a.js")} -->`, [], null],
  ["a placeholder", script("{{ base }}/a.js"), [], null],
  ["a script of another platform", script("/_vercel/insights/script.js"), [], null],
  [
    "nothing",
    "\n",
    [],
    "index.html is empty, so visitors see a blank page: does the build lack its theme, such as a submodule?",
  ],
  ["a base address", `<base href="/app/">${script("a.js")}`, [], null],
  ["an icon", '<link rel="icon" href="/favicon.ico">', [], null],
  ["a script in the page", "<script>1</script>", [], null],
  [
    "a site for a path",
    `<link rel="stylesheet" href="/shop/a.css">${script("/shop/assets/a.js")}`,
    ["a.css", "assets/a.js"],
    "index.html loads /shop/a.css and 1 more, but the file is at /a.css: the site is built for the path /shop/. Build it for /, such as with base in vite.config, baseUrl in docusaurus.config or homepage in package.json",
  ],
  ["a script that is not built", "<SCRIPT src=bundle.js></SCRIPT>", [], missing("/bundle.js")],
  ["a redirect of another path", script("/a.js"), ["/old /new 301"], missing("/a.js")],
  ["a rule that answers with a page", script("/a.js"), ["/* /index.html 200"], missing("/a.js")],
  ["a redirect to the script", script("/a.js"), ["/a.js https://cdn.example/a.js 302"], null],
  ["a rule that takes it from another folder", script("/shop/a.js"), ["/shop/* /:splat 200", "a.js"], null],
  ["a proxy for another file", script("/js/app.js"), ["/js/app.js /app-2.js 200", "app-2.js"], null],
  [
    "a package beside the site",
    script("node_modules/x/x.js"),
    ["node_modules/x/x.js"],
    "index.html loads /node_modules/x/x.js, and a site beside its sources does not show node_modules: copy the files to another folder, or set output_directory to a folder of the site",
  ],
])("a page with %s", async (_, page, files, text) => {
  expect(await partsOf(page, files)).toBe(text);
});
