import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { writeAtomic } from "#node/write-atomic.ts";

import { agentFiles } from "../shared/build-agent.ts";
import { buildDashboard } from "../shared/build-dashboard.ts";
import { packageVersion } from "../shared/package-version.ts";
import { root } from "../shared/root.ts";
import { problemPage, problemsPage } from "./html/problem-pages.ts";
import { referencePage } from "./html/reference-page.ts";
import { openApiDocument } from "./openapi/document.ts";

/** The folder of the files that the Worker serves, as wrangler.toml names it. */
export const assetsFolder = join(root, "build", "assets");

/** The style sheet's files in `html/style`, in the order of the cascade. */
const styles = ["base", "frame", "text", "operation", "fields", "examples", "media"];

/** The files of the reference by their paths below the assets: the OpenAPI document, its page, a page per problem. */
export async function referenceFiles(): Promise<Map<string, string>> {
  const document = openApiDocument(await packageVersion());
  const beside = async (name: string) => await readFile(join(import.meta.dirname, "html", name), "utf8");
  const style = await Promise.all(styles.map((name) => beside(`style/${name}.css`)));
  return new Map([
    ["v1/openapi.json", JSON.stringify(document)],
    ["docs.html", referencePage(document)],
    ["docs/style.css", style.join("\n")],
    ["docs/icon.svg", await beside("icon.svg")],
    ["docs/problems.html", problemsPage()],
    ...problemCodes.map((code) => [`docs/problems/${code}.html`, problemPage(code, document)] as const),
  ]);
}

/** The folders of files whose names contain a hash or can disappear, so that old files must be removed. */
const changing = [
  { folder: "docs", suffix: ".html" },
  { folder: "agent", suffix: ".mjs" },
  { folder: "app", suffix: "" },
];

/** Writes all files that the Worker serves: the reference, the agent, its installer and the dashboard. */
export async function buildAssets(folder: string): Promise<void> {
  const dashboard = await buildDashboard();
  const files = new Map<string, string | Uint8Array>([
    ...(await referenceFiles()),
    ...(await agentFiles()),
    ...dashboard.files,
  ]);
  for (const [path, content] of files) {
    const file = join(folder, path);
    const before = await readFile(file).catch(() => null);
    if (before?.equals(Buffer.from(content)) === true) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeAtomic(file, content, { uniqueDraft: true });
  }
  for (const { folder: below, suffix } of changing)
    for (const entry of await filesIn(join(folder, below))) {
      const name = relative(join(folder, below), entry);
      if (name.endsWith(suffix) && !files.has(`${below}/${name}`)) await rm(entry, { force: true });
    }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
