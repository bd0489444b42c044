import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";

import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { pageFiles, SearchEntry, TriedOperation } from "#contract/reference/page-data.ts";
import { referenceFiles } from "../../scripts/reference/build-assets.ts";
import { docsFolder } from "../../scripts/reference/guides/guide-groups.ts";
import { document } from "./support/open-api.ts";

const files = await referenceFiles();
const file = (path: string) => String(files.get(path) ?? "");
const texts = [...files.keys()].filter((path) => /\.(?:html|css|svg)$/.test(path));
const pages = texts.filter((path) => path.endsWith(".html"));
const operations = document.operations();
const resourceOf = ({ tags: [tag = ""] }: { readonly tags: readonly string[] }) =>
  file(`docs/api/${tag.toLowerCase()}.html`);
const idsOf = new Map(
  pages.map((path) => [path, new Set(Array.from(file(path).matchAll(/id="([^"]+)"/g), ([, id = ""]) => id))]),
);

/** The text of HTML without its tags. */
function textOf(source: string): string {
  return source
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

describe("the pages", () => {
  it.each(operations.map(({ operation }) => [operation.operationId, operation] as const))(
    "show %s on the page of its section, and link to it from the first one",
    (id, operation) => {
      const page = resourceOf(operation);
      expect(page).toContain(`<article id="${id}">`);
      expect(page).toContain(`href="#${id}"`);
      expect(file("docs.html")).toContain(`id="${id}"`);
    },
  );

  it.each(problemCodes)("say when %s is given, and what to do", (code) => {
    const page = file(`docs/problems/${code}.html`);
    expect(page).toContain(`<code>${code}</code>`);
    expect(page).toContain("What to do");
    expect(file("docs/problems.html")).toContain(`/docs/problems/${code}`);
  });

  it.each(texts)("%s loads nothing from others, and has only the script of all pages", (path) => {
    const text = file(path)
      .replaceAll('xmlns="http://www.w3.org/2000/svg"', "")
      .replace(`<script type="module" src="${pageFiles.script}"></script>`, "")
      // Guides link to other sites. Links load nothing.
      .replaceAll(/<a href="https:[^"]*"/g, "<a");
    expect(text).not.toMatch(/(?:href|src|srcset|action)="(?!\/|#)|@import|<script|<style/i);
    if (path.endsWith(".css")) expect(text).not.toMatch(/url\((?!"?\/)/);
    expect(text).not.toMatch(/<[^>]*\s(?:on\w+|style)=/i);
  });

  it("have no broken links", () => {
    for (const path of pages)
      for (const [, page = "", anchor] of file(path).matchAll(/href="([^"#]*)(?:#([^"]+))?"/g)) {
        if (page.startsWith("https://") || page === "/app/") continue;
        const target =
          page === "" ? path : [page.slice(1), `${page.slice(1)}.html`].find((one) => files.has(one));
        expect(target, `${path} leads to ${page}`).toBeDefined();
        if (anchor !== undefined)
          expect(idsOf.get(target ?? ""), `${path} leads to ${page}#${anchor}`).toContain(anchor);
      }
  });

  it("use each id once", () => {
    for (const path of pages) {
      const ids = Array.from(file(path).matchAll(/\sid="([^"]+)"/g), ([, id]) => id);
      expect(ids, path).toHaveLength(new Set(ids).size);
    }
  });
});

describe("the guides", () => {
  it("are the documents for users", async () => {
    const names = (await readdir(docsFolder, { recursive: true })).filter((name) => name.endsWith(".md"));
    const missing = names.filter((name) => !files.has(`docs/${name.replace(/md$/, "html")}`));
    expect(missing.toSorted()).toEqual([
      "agent-protocol.md",
      "architecture.md",
      "benchmarks.md",
      "contributing.md",
      "decisions.md",
    ]);
  });

  it("have no links to documents that are not served, and no Markdown left", () => {
    for (const path of pages)
      expect(file(path).replace(/<code>[^]*?<\/code>/g, ""), path).not.toMatch(/>[\w-]+\.md<|\]\(/);
  });
});

describe("the address of the installation", () => {
  const marked = /<span class="origin(?:-host)?">[^<]*<\/span>/g;

  it("can be replaced wherever a page names the example, and is named by no other address", () => {
    for (const path of pages) {
      const rest = file(path).replaceAll(marked, "");
      expect(rest, path).not.toContain("gantry.example.com");
      expect(rest, path).not.toMatch(/https?:\/\/(?:localhost|127\.0\.0\.1):8787/);
    }
  });

  it("is in the lines of the guides that name the control plane, and in no others", () => {
    const guides = pages.filter((path) => path.startsWith("docs/guides/"));
    const lines = guides.flatMap((path) =>
      file(path)
        .split("\n")
        .filter((line) => line.search(marked) >= 0)
        .map(textOf),
    );
    expect(lines.length).toBeGreaterThan(guides.length);
    for (const line of lines)
      expect(line).toMatch(
        /install\.sh|gantry\.tgz|gantry login|npm run (?:release|sign-in)|^gantry\.example\.com$/,
      );
  });
});

describe("the search index", () => {
  const entries = z.array(SearchEntry).parse(JSON.parse(file(pageFiles.search.slice(1))));

  it("leads to every operation, problem and guide, and only to places that exist", () => {
    const addresses = entries.map(({ address }) => address);
    expect(addresses).toHaveLength(new Set(addresses).size);
    for (const address of addresses) {
      const [page = "", anchor] = address.split("#");
      expect(files.has(`${page.slice(1)}.html`), address).toBe(true);
      if (anchor !== undefined) expect(idsOf.get(`${page.slice(1)}.html`), address).toContain(anchor);
    }
    const found = new Set(addresses.map((address) => address.split("#")[0]?.slice(1)));
    expect(pages.filter((path) => !found.has(path.slice(0, -".html".length)))).toEqual([
      "docs.html",
      "docs/not-found.html",
      "docs/problems.html",
    ]);
    for (const { operation } of operations)
      expect(addresses.some((address) => address.endsWith(`#${operation.operationId}`))).toBe(true);
  });
});

describe("the samples", () => {
  const all = (language: string) =>
    pages.flatMap((path) =>
      Array.from(
        file(path).matchAll(
          new RegExp(`data-language="${language}">\\s*<pre[^>]*><code>([^]*?)</code>`, "g"),
        ),
        ([, code = ""]) => textOf(code),
      ),
    );

  it("are one per language and operation, and one for a whole list", () => {
    expect(all("curl")).toHaveLength(operations.length + 1);
    expect(all("typescript")).toHaveLength(operations.length + 1);
  });

  it("are valid in their languages", async () => {
    for (const code of all("curl")) execFileSync("sh", ["-n"], { input: code });
    for (const code of all("typescript"))
      await expect(transform(code, { loader: "ts", format: "esm" }), code).resolves.toBeDefined();
  });

  it("can be sent from the page, except samples of the agent", () => {
    for (const { method, path, operation } of operations) {
      const page = resourceOf(operation);
      const article =
        page.slice(page.indexOf(`<article id="${operation.operationId}">`)).split("</article>")[0] ?? "";
      const [, data] = /data-operation="([^"]*)"/.exec(article) ?? [];
      if (operation["x-internal"] === true) {
        expect(data).toBeUndefined();
        continue;
      }
      const tried = TriedOperation.parse(JSON.parse(textOf(data ?? "")));
      expect(tried).toMatchObject({ id: operation.operationId, method: method.toUpperCase(), path });
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        expect(tried.parameters).toContainEqual(
          expect.objectContaining({ name, in: "path", required: true }),
        );
    }
  });
});
