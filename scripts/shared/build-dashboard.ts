import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { build, type Plugin } from "esbuild";

import { browserBundle } from "./browser-bundle.ts";
import { root } from "./root.ts";

const FOLDER = join(root, "src", "dashboard");
/** In the order in which they run. */
const SCRIPTS = ["src/dashboard/before-all.ts", "src/dashboard/main.tsx"];
const STYLE = "src/dashboard/styles/main.css";

/** Expands `@import "./pages/*.css"` to all style sheets of the folder, sorted by name. */
const styleFolders: Plugin = {
  name: "style-folders",
  setup(esbuild) {
    esbuild.onLoad({ filter: /styles\/main\.css$/ }, async ({ path }) => {
      const lines = (await readFile(path, "utf8")).split("\n").map(async (line) => {
        const [, folder] = /^@import "\.\/(\w+)\/\*\.css";$/.exec(line) ?? [];
        if (folder === undefined) return line;
        const names = await readdir(join(dirname(path), folder));
        return names
          .toSorted()
          .map((name) => `@import "./${folder}/${name}";`)
          .join("\n");
      });
      return { contents: (await Promise.all(lines)).join("\n"), loader: "css" };
    });
  },
};

export type DashboardBuild = {
  /** By their paths below the assets. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** The scripts that the first page needs, as their paths below the assets. */
  readonly firstScripts: readonly string[];
  /** The bytes of the font. */
  readonly fontBytes: number;
};

/**
 * Builds the dashboard: the page, and scripts and styles with a hash of their content in the name. Equal sources give
 * equal bytes.
 */
export async function buildDashboard(): Promise<DashboardBuild> {
  const { outputFiles, metafile } = await build({
    ...browserBundle,
    entryPoints: [...SCRIPTS, STYLE],
    outdir: "build/assets/app/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    metafile: true,
    splitting: true,
    plugins: [styleFolders],
  });
  const files = new Map<string, string | Uint8Array>(
    outputFiles.map(({ path, contents }) => [addressOf(path).slice(1), contents]),
  );
  const font = outputFiles.find(({ path }) => path.endsWith(".woff2"));
  if (font === undefined) throw new Error("esbuild wrote no font");
  const outputs = Object.entries(metafile.outputs);
  const outputOf = (entry: string): string => {
    const [path] = outputs.find(([, output]) => output.entryPoint === entry) ?? [];
    if (path === undefined) throw new Error(`esbuild wrote no file for ${entry}`);
    return path;
  };
  const needed = new Set<string>();
  const need = (path: string): void => {
    if (needed.has(path)) return;
    needed.add(path);
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement") need(next);
  };
  const entries = SCRIPTS.map(outputOf);
  for (const entry of entries) need(entry);
  const page = (await readFile(join(FOLDER, "index.html"), "utf8"))
    .replace("@STYLE@", addressOf(outputOf(STYLE)))
    .replace("@FONT@", addressOf(font.path))
    .replace(
      "@SCRIPTS@",
      [
        ...[...needed]
          .filter((path) => !entries.includes(path))
          .map((path) => `<link rel="modulepreload" href="${addressOf(path)}" />`),
        ...entries.map((path) => `<script type="module" src="${addressOf(path)}"></script>`),
      ].join("\n    "),
    );
  files.set("app/index.html", page);
  files.set("app/assets/icon.svg", await readFile(join(FOLDER, "icon.svg"), "utf8"));
  // Its licence requires a copy wherever the font is.
  files.set(
    "app/assets/geist-license.txt",
    await readFile(join(FOLDER, "fonts", "geist-license.txt"), "utf8"),
  );
  return {
    files,
    firstScripts: [...needed].map((path) => addressOf(path).slice(1)),
    fontBytes: font.contents.length,
  };
}

/** The address of an esbuild output in the browser. */
function addressOf(path: string): string {
  return `/app/assets/${path.slice(path.lastIndexOf("/") + 1)}`;
}
