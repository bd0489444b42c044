import { build } from "esbuild";

import { dashboardPaths } from "#contract/public-paths.ts";

import { root } from "./root.ts";

/** Supported by Chrome, Firefox and Safari since spring 2024. */
const TARGET = "es2023";

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
    absWorkingDir: root,
    entryPoints: [entry],
    inject,
    write: false,
    outdir: "build/assets/docs",
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    // As in build-dashboard.ts, so that the font has the same name.
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file" },
    publicPath: dashboardPaths.files.replace("/:file", ""),
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const file = outputFiles.find(({ path }) => /\.(?:js|css)$/.test(path));
  if (file === undefined) throw new Error(`esbuild wrote no file for ${entry}`);
  return file.text;
}
