import { build } from "esbuild";

import { dashboardPaths } from "#contract/public-paths.ts";

import { browserBundle } from "./browser-bundle.ts";

/** Bundles the script of the pages below /docs. Equal sources give equal bytes. */
export function buildDocsScript(): Promise<string> {
  return bundle("src/docs/main.ts", ["src/docs/before-all.ts"]);
}

/** Bundles their style sheet. It has the dashboard's design tokens, and its font at the dashboard's address. */
export function buildDocsStyle(): Promise<string> {
  return bundle("src/docs/styles/main.css", []);
}

/** @param inject modules that run before all others */
async function bundle(entry: string, inject: string[]): Promise<string> {
  const { outputFiles } = await build({
    ...browserBundle,
    entryPoints: [entry],
    inject,
    outdir: "build/assets/docs",
    publicPath: dashboardPaths.files.replace("/:file", ""),
  });
  const file = outputFiles.find(({ path }) => /\.(?:js|css)$/.test(path));
  if (file === undefined) throw new Error(`esbuild wrote no file for ${entry}`);
  return file.text;
}
