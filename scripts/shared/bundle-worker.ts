import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

import { messageOf } from "#contract/lib/message-of.ts";
import type { OutputChunk, Plugin } from "rolldown";

import { root } from "./root.ts";

/** A file of the Worker's bundle. */
export type WorkerFile = {
  readonly name: string;
  readonly code: string;
  readonly map: string;
  /** Whether the start of the Worker evaluates it. The others are loaded by the first request that needs them. */
  readonly isFirst: boolean;
  /** The sources in it, relative to the repository. */
  readonly sources: readonly string[];
};

export type WorkerFiles =
  | { readonly ok: true; readonly files: readonly WorkerFile[] }
  | { readonly ok: false; readonly output: string };

/** The file with the Worker's exports, which Cloudflare and Miniflare start. */
export const MAIN_FILE = "main.js";
/** Everything that `main.js` imports statically. */
const FIRST = "first";

/**
 * Bundles the Worker without minifying it. All that its start evaluates is one file, and each dynamic import in
 * `src/worker` has a file of its own. esbuild, which wrangler bundles with, makes a file for each combination of
 * importers instead: 73 files, and 24 kB gzip more.
 *
 * @param folder where the files will be written, for the paths in the source maps
 */
export async function bundleWorker(folder: string): Promise<WorkerFiles> {
  // Loaded here, because it takes as long to load as the rest of this file, and most calls of `buildWorker` find a bundle.
  const { rolldown } = await import("rolldown");
  const first = new Set<string>();
  try {
    const build = await rolldown({
      input: { main: join(root, "src", "worker", "main.ts") },
      external: [/^cloudflare:/],
      platform: "browser",
      resolve: { conditionNames: ["workerd", "worker", "browser", "import"] },
      transform: { target: "es2024", define: { "process.env.NODE_ENV": '"production"' } },
      // Otherwise the main file could export more than the Worker, which workerd refuses.
      preserveEntrySignatures: "strict",
      plugins: [findFirst(first)],
      logLevel: "warn",
    });
    try {
      const { output } = await build.generate({
        dir: folder,
        format: "esm",
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        codeSplitting: { groups: [{ name: FIRST, test: (id) => first.has(id) }] },
        minifyInternalExports: true,
        sourcemap: true,
        sourcemapPathTransform: (source, map) => relative(root, resolve(dirname(map), source)),
      });
      const chunks = output.filter((file) => file.type === "chunk");
      const atStart = filesOfStart(chunks);
      return { ok: true, files: chunks.map((chunk) => fileOf(chunk, atStart)) };
    } finally {
      await build.close();
    }
  } catch (error) {
    return { ok: false, output: messageOf(error) };
  }
}

/** Writes the files of a bundle and their source maps into a new folder. */
export async function writeBundle(folder: string, files: readonly WorkerFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(
    files.flatMap(({ name, code, map }) => [
      writeFile(join(folder, name), code),
      writeFile(join(folder, `${name}.map`), map),
    ]),
  );
}

/** Collects the modules that the entry imports statically, directly or not. */
function findFirst(first: Set<string>): Plugin {
  return {
    name: "find what the start evaluates",
    buildEnd() {
      const add = (id: string) => {
        if (first.has(id)) return;
        first.add(id);
        this.getModuleInfo(id)?.importedIds.forEach(add);
      };
      for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry === true) add(id);
    },
  };
}

/** The names of the files that the main file imports statically, and its own. */
function filesOfStart(chunks: readonly OutputChunk[]): ReadonlySet<string> {
  const names = new Set([MAIN_FILE]);
  for (const name of names)
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
      if (chunks.some(({ fileName }) => fileName === imported)) names.add(imported);
  return names;
}

function fileOf({ fileName, code, map, moduleIds }: OutputChunk, atStart: ReadonlySet<string>): WorkerFile {
  return {
    name: fileName,
    code,
    map: map?.toString() ?? "",
    isFirst: atStart.has(fileName),
    sources: moduleIds.map((id) => relative(root, id)),
  };
}
