import { type FoundRequest, requestFor } from "#project-files/frameworks/tools/tool-request.ts";
import { type Tool, toolNamed } from "#project-files/frameworks/tools/tool.ts";
import type { VersionDialect } from "#project-files/frameworks/tools/wanted-version.ts";
import { objectOf, parseObject } from "#contract/lib/json-object.ts";

/** Reads a file with one version, such as .nvmrc. Further lines are other versions or comments. */
export function readVersionFile(tool: Tool, text: string): readonly FoundRequest[] {
  const [first] = usedLines(text);
  const dialect: VersionDialect = tool === "ruby" ? "ruby" : "version-file";
  return requestFor(tool, first, dialect, "pinned");
}

/** Reads .tool-versions. Each line has a tool and its versions; the first one counts. */
export function readToolVersions(text: string): readonly FoundRequest[] {
  return usedLines(text).flatMap((line) => {
    const [name = "", version] = line.split(/\s+/);
    const tool = toolNamed(name);
    return tool === null ? [] : requestFor(tool, version, "version-file", "pinned");
  });
}

/** Reads `require.php`, which Composer checks itself, and `config.platform.php`, which it only assumes. */
export function readComposerJson(text: string): readonly FoundRequest[] {
  const composer = parseObject(text);
  const platform = objectOf(objectOf(composer["config"])["platform"])["php"];
  const line = typeof platform === "string" ? /^\d+\.\d+/.exec(platform)?.[0] : undefined;
  return [
    ...requestFor("php", objectOf(composer["require"])["php"], "composer", "required"),
    ...requestFor("php", line, "composer", "advised"),
  ];
}

/** Reads the oldest version of Go that a module can be built with, and the one that it prefers. */
export function readGoMod(text: string): readonly FoundRequest[] {
  const find = (pattern: RegExp) => usedLines(text, "//").find((line) => pattern.test(line));
  const go = find(/^go\s/)?.split(/\s+/)[1];
  const toolchain = find(/^toolchain\s+go\d/)?.split(/\s+/)[1];
  return [...requestFor("go", go, "go", "required"), ...requestFor("go", toolchain, "go", "advised")];
}

/** Reads the line `ruby "3.3.0"` of a Gemfile. Bundler refuses other versions. */
export function readGemfile(text: string): readonly FoundRequest[] {
  const line = usedLines(text).find((one) => /^ruby[\s(]/.test(one)) ?? "";
  const versions = [...line.slice(0, MAX_LINE).matchAll(/(?:[\s(,]|^ruby)["']([\d<>=~!][^"']*)["']/g)];
  return requestFor("ruby", versions.map(([, version]) => version).join(", "), "ruby", "required");
}

/**
 * The version of pnpm for a lock file, if the server has none. Newer versions write other lock files.
 * Source: pnpm.io, "Compatibility of lock files".
 */
export function readPnpmLock(text: string): readonly FoundRequest[] {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(text.slice(0, MAX_LINE))?.[1];
  return requestFor("pnpm", pnpmForFormat.get(format ?? "") ?? "10", "npm", "default");
}

const pnpmForFormat: ReadonlyMap<string, string> = new Map([
  ["5", "6 || 7"],
  ["6", "8 || 9"],
  ["9", "9 || 10"],
]);

/** The version of Yarn for a project with settings of Yarn 2 or newer. Yarn 1 starts the program that `yarnPath` names. */
export function readYarnSettings(text: string): readonly FoundRequest[] {
  return requestFor("yarn", /^yarnPath:/m.test(text) ? "1" : "4", "npm", "default");
}

/** The version of Yarn for a lock file without such settings. */
export function readYarnLock(): readonly FoundRequest[] {
  return requestFor("yarn", "1", "npm", "default");
}

const MAX_LINE = 1_000;

/** The lines without comments and surrounding white space. */
function usedLines(text: string, comment = "#"): readonly string[] {
  return text
    .split("\n")
    .map((line) => (line.split(comment)[0] ?? "").trim())
    .filter((line) => line !== "");
}
