/** The usual names of the program that answers requests, if a module has several. */
const usual = ["server", "web", "app", "api", "main", "backend"];

/** A program of a Go module. `path`: of its package, such as `./cmd/server`. `name`: of the file that it is built to. */
export type GoProgram = { readonly name: string; readonly path: string };

/**
 * The files of a Go module that may have a program, as for `deepPaths`.
 * @param files the top-level files
 */
export function goPaths(files: ReadonlyMap<string, string>): readonly string[] {
  if (!files.has("go.mod")) return [];
  return ["*.go", "*/*.go", ...(files.has("cmd") ? ["cmd/*"] : [])];
}

/**
 * The program of a Go module that answers requests: that of the module's root, or the only one below `cmd`, or the one with
 * a usual name, or else the only one in another folder.
 */
export function findGoProgram(files: ReadonlyMap<string, string>): GoProgram | null {
  const path = /^module[ \t]+"?([^\s"]{1,500})/m.exec(files.get("go.mod") ?? "")?.[1] ?? "";
  // Go names the program of example.com/shop/v2 `shop`.
  const module = path.split("/").findLast((part) => !/^v\d+$/.test(part)) ?? "";
  const commands = [...files.keys()].flatMap((file) => /^cmd\/([\w.-]+)$/.exec(file)?.[1] ?? []);
  const names = commands.filter((name) => !name.endsWith(".go"));
  const folders = programFolders(files);
  const isProgram = files.has("main.go") || folders.includes("");
  const one = (found: readonly string[]) =>
    found.length === 1 ? found[0] : [module, ...usual].find((name) => found.includes(name));
  const inCommands = one(names);
  const others = folders.filter((folder) => folder !== "");
  const found: GoProgram | null = isProgram
    ? { name: module, path: "." }
    : inCommands !== undefined
      ? { name: inCommands, path: `./cmd/${inCommands}` }
      : ((name) => (name === undefined ? null : { name, path: `./${name}` }))(one(others));
  return found !== null && /^[\w.-]+$/.test(found.name) ? found : null;
}

/** The folders with a package `main`; empty for the module's root. */
export function programFolders(files: ReadonlyMap<string, string>): readonly string[] {
  const folders = [...files].flatMap(([file, text]) => {
    const found = /^(?:([\w.-]+)\/)?[\w.-]+\.go$/.exec(file);
    const isProgram = found !== null && !file.endsWith("_test.go") && /^package main\b/m.test(text);
    const isIgnored = /^\/\/(?:go:build|[ \t]*\+build)[ \t]+ignore\b/m.test(text);
    return isProgram && !isIgnored ? [found[1] ?? ""] : [];
  });
  return [...new Set(folders)];
}
