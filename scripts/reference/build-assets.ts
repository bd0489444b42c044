import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import * as z from "zod";

import { problemCodes } from "#contract/endpoint-facts.ts";

import { root } from "../parts/root.ts";
import { problemPage, problemsPage } from "./html/problem-pages.ts";
import { referencePage } from "./html/reference-page.ts";
import { openApiDocument } from "./openapi/document.ts";

const Package = z.object({ version: z.string() });

/** Where wrangler.toml looks for the files that the Worker serves. */
export const assetsFolder = join(root, "build", "assets");

/** The files of the reference, by their path below the assets: the document, its page, a page for each problem. */
export async function referenceFiles(): Promise<Map<string, string>> {
  const { version } = Package.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  const document = openApiDocument(version);
  const beside = async (name: string) => await readFile(join(import.meta.dirname, "html", name), "utf8");
  return new Map([
    ["v1/openapi.json", JSON.stringify(document)],
    ["docs.html", referencePage(document)],
    ["docs/style.css", await beside("style.css")],
    ["docs/icon.svg", await beside("icon.svg")],
    ["docs/problems.html", problemsPage()],
    ...problemCodes.map((code) => [`docs/problems/${code}.html`, problemPage(code, document)] as const),
  ]);
}

/** Writes them. Each is replaced as a whole, because a Worker that runs may be reading it. */
export async function buildAssets(folder: string): Promise<void> {
  const files = await referenceFiles();
  for (const name of await readdir(join(folder, "docs"), { recursive: true }).catch(() => []))
    if (name.endsWith(".html") && !files.has(`docs/${name}`))
      await rm(join(folder, "docs", name), { force: true });
  for (const [path, text] of files) {
    const file = join(folder, path);
    if ((await readFile(file, "utf8").catch(() => null)) === text) continue;
    await mkdir(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.tmp`;
    await writeFile(draft, text);
    await rename(draft, file).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
  }
}
