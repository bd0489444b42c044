import { build } from "esbuild";

import { root } from "./root.ts";

/** Supported by Chrome, Firefox and Safari since spring 2024. */
const TARGET = "es2023";

/** Bundles the script of the pages below /docs into one file. Equal sources give equal bytes. */
export async function buildDocsScript(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/docs/main.ts"],
    inject: ["src/docs/before-all.ts"],
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote no file");
  return file.text;
}
