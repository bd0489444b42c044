import { readMiseToml } from "#project-files/frameworks/tools/read-mise-toml.ts";
import { readPackageJson } from "#project-files/frameworks/tools/read-package-json.ts";
import {
  readComposerJson,
  readGemfile,
  readGoMod,
  readPnpmLock,
  readToolVersions,
  readVersionFile,
  readYarnLock,
  readYarnSettings,
} from "#project-files/frameworks/tools/read-version-files.ts";
import {
  type FoundRequest,
  isBinding,
  type ToolRequest,
} from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

/** The files of a folder that ask for tools. `path`: relative to the repository's root; empty for the root. */
export type ToolFolder = { readonly path: string; readonly files: ReadonlyMap<string, string> };

/** The readers of the files in order of precedence: those that name one version for every tool first. */
const readers: ReadonlyMap<string, (text: string) => readonly FoundRequest[]> = new Map([
  ["mise.toml", readMiseToml],
  [".mise.toml", readMiseToml],
  [".tool-versions", readToolVersions],
  [".node-version", (text: string) => readVersionFile("node", text)],
  [".nvmrc", (text: string) => readVersionFile("node", text)],
  [".ruby-version", (text: string) => readVersionFile("ruby", text)],
  [".python-version", (text: string) => readVersionFile("python", text)],
  [".php-version", (text: string) => readVersionFile("php", text)],
  [".go-version", (text: string) => readVersionFile("go", text)],
  ["package.json", readPackageJson],
  ["composer.json", readComposerJson],
  ["go.mod", readGoMod],
  ["Gemfile", readGemfile],
  ["pnpm-lock.yaml", readPnpmLock],
  [".yarnrc.yml", readYarnSettings],
  ["yarn.lock", readYarnLock],
]);

/** The files that ask for tools. */
export const toolFiles: readonly string[] = [...readers.keys()];

/**
 * Collects the versions that a repository asks for.
 * @param folders the project's root directory, and the folders above it up to the repository's root
 * @returns the requests for each tool; those that decide come first
 */
export function findRequests(folders: readonly ToolFolder[]): ReadonlyMap<Tool, readonly ToolRequest[]> {
  const all = folders.flatMap(({ path, files }) =>
    [...readers].flatMap(([name, read]) => {
      const file = path === "" || path === "." ? name : `${path}/${name}`;
      const text = files.get(name);
      return text === undefined ? [] : read(text).map((found): ToolRequest => ({ ...found, file }));
    }),
  );
  const requests = new Map<Tool, ToolRequest[]>();
  for (const one of [...all.filter(isBinding), ...all.filter((request) => !isBinding(request))]) {
    const earlier = requests.get(one.tool) ?? [];
    if (!earlier.some((other) => isSettledBy(one, other))) requests.set(one.tool, [...earlier, one]);
  }
  return requests;
}

/** Of several version files, and of a file that several folders have, the first one decides. */
function isSettledBy(one: ToolRequest, earlier: ToolRequest): boolean {
  if (one.strength !== earlier.strength) return false;
  return one.strength === "pinned" || nameOf(one.file) === nameOf(earlier.file);
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
