import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { writeAtomic } from "#node/write-atomic.ts";

import { agentFiles } from "../shared/build-agent.ts";
import { buildDashboard } from "../shared/build-dashboard.ts";
import { buildPackage } from "../packages/build-packages.ts";
import { command } from "../packages/package-list.ts";
import { packageVersion } from "../shared/package-version.ts";
import { root } from "../shared/root.ts";
import { problemPage, problemsPage } from "./html/problem-pages.ts";
import { COMMAND_PACKAGE_PATH, MISSING_PAGE } from "#contract/public-paths.ts";
import { pageFiles } from "#contract/reference/page-data.ts";
import { buildDocsScript, buildDocsStyle } from "../shared/build-docs-files.ts";
import { readGuides } from "./guides/read-guides.ts";
import { apiPage, resourcePage } from "./html/api-pages.ts";
import { Document } from "./html/document.ts";
import { guidePage } from "./html/guide-page.ts";
import { homePage } from "./html/home-page.ts";
import { missingPage } from "./html/missing-page.ts";
import { openApiDocument } from "./openapi/document.ts";
import { searchIndex } from "./search-index.ts";

/** The folder of the files that the Worker serves, as wrangler.toml names it. */
export const assetsFolder = join(root, "build", "assets");

/**
 * The files below /docs by their paths below the assets, and the OpenAPI document: the first page, the guides with their
 * images, a page per section of the API and per problem, the search index, styles and the script.
 */
export async function referenceFiles(): Promise<Map<string, string | Uint8Array>> {
  const openApi = openApiDocument(await packageVersion());
  const document = new Document(openApi);
  const guides = await readGuides();
  return new Map<string, string | Uint8Array>([
    ["v1/openapi.json", JSON.stringify(openApi)],
    ["docs.html", homePage(document, guides)],
    [`${MISSING_PAGE.slice(1)}.html`, missingPage(guides)],
    ["docs/style.css", await buildDocsStyle()],
    ["docs/icon.svg", await readFile(join(root, "src", "dashboard", "icon.svg"), "utf8")],
    [pageFiles.script.slice(1), await buildDocsScript()],
    [pageFiles.search.slice(1), JSON.stringify(searchIndex(document, guides))],
    ["docs/api.html", apiPage(document)],
    ...document
      .resources()
      .map((resource) => [`${resource.address.slice(1)}.html`, resourcePage(document, resource)] as const),
    ["docs/problems.html", problemsPage()],
    ...problemCodes.map((code) => [`docs/problems/${code}.html`, problemPage(code, document)] as const),
    ...[...guides.all.values()].map(
      (guide) => [`docs/${guide.name}.html`, guidePage(guides, guide)] as const,
    ),
    ...guides.images,
  ]);
}

/** The folders of files whose names contain a hash or can disappear, so that old files must be removed. */
const changing = [
  { folder: "docs", suffix: "" },
  { folder: "agent", suffix: ".mjs" },
  { folder: "app", suffix: "" },
];

/** Writes all files that the Worker serves: the reference, the agent, its installer, the command and the dashboard. */
export async function buildAssets(folder: string): Promise<void> {
  const dashboard = await buildDashboard();
  const files = new Map<string, string | Uint8Array>([
    ...(await referenceFiles()),
    ...(await agentFiles()),
    [COMMAND_PACKAGE_PATH.slice(1), (await buildPackage(command, await packageVersion())).archive],
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
      // A draft of another process that builds the same files now.
      if (name.endsWith(".tmp")) continue;
      if (name.endsWith(suffix) && !files.has(`${below}/${name}`)) await rm(entry, { force: true });
    }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
