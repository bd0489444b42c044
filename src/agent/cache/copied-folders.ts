import { objectOf, parseObject } from "#contract/lib/json-object.ts";

type Manifest = Readonly<Record<string, unknown>>;

/** Longer lines are not written by people, and are not searched. */
const LONGEST_LINE = 2_000;

/**
 * Whether a manifest or lock file says that an installation copies a folder of the repository. The package manager may
 * not notice that the files of such a folder have changed.
 */
export function copiesFolder(name: string, content: Buffer): boolean {
  switch (name) {
    case "pnpm-lock.yaml":
      return content.includes("type: directory");
    case "composer.json":
      return hasPathCopies(parseObject(content.toString("utf8")));
    case "pyproject.toml":
    case "Pipfile":
      return content.toString("utf8").split("\n").some(isPathCopy);
    default:
      return false;
  }
}

/** Composer links the folder, unless it is told not to. */
function hasPathCopies(composer: Manifest): boolean {
  return Object.values(objectOf(composer["repositories"])).some((repository) => {
    const { type, options } = objectOf(repository);
    return type === "path" && objectOf(options)["symlink"] === false;
  });
}

/** A line such as `lib = { path = "../lib" }`. */
function isPathCopy(line: string): boolean {
  if (line.length > LONGEST_LINE) return false;
  return /\{.*\bpath[ \t]*=/.test(line) && !/\b(?:develop|editable)[ \t]*=[ \t]*true\b/.test(line);
}

const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies"] as const;

/** Whether a package.json depends on a folder. An archive is no folder: the lock file has its hash. */
export function dependsOnFolder(manifest: Manifest): boolean {
  const replaced = [manifest["overrides"], manifest["resolutions"], objectOf(manifest["pnpm"])["overrides"]];
  const versions = [
    ...dependencyFields.flatMap((field) => Object.values(objectOf(manifest[field]))),
    ...replaced.flatMap((one) => Object.values(objectOf(one))),
  ];
  const isFolder = /^(?:file:|\.{1,2}\/)(?!.*\.(?:tgz|tar\.gz)$)/;
  const metas = Object.values(objectOf(manifest["dependenciesMeta"]));
  return (
    versions.some((version) => isFolder.test(String(version))) ||
    metas.some((meta) => objectOf(meta)["injected"] === true)
  );
}
