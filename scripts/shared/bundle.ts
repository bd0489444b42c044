import type { BuildResult } from "esbuild";

/** A program as one file. `sources`: the paths of what is in it, relative to the repository. */
export type Bundle = { readonly code: string; readonly sources: readonly string[] };

/** The only file that esbuild has made in memory. */
export function bundleOf({
  outputFiles: [file],
  metafile,
}: BuildResult<{ write: false; metafile: true }>): Bundle {
  if (file === undefined) throw new Error("esbuild made no file");
  return { code: file.text, sources: Object.keys(metafile.inputs) };
}
