/** The usual names of the program that answers requests, if a module has several. */
const usual = ["server", "web", "app", "api"];

/**
 * The program of a Go module that answers requests, as the preset builds it into `bin`: that of the module's root, or the
 * only one below `cmd`, or the one with a usual name.
 */
export function findGoProgram(files: ReadonlyMap<string, string>): string | null {
  const path = /^module[ \t]+"?([^\s"]{1,500})/m.exec(files.get("go.mod") ?? "")?.[1] ?? "";
  // Go names the program of example.com/shop/v2 `shop`.
  const module = path.split("/").findLast((part) => !/^v\d+$/.test(part)) ?? "";
  const commands = [...files.keys()].flatMap((file) => /^cmd\/([\w.-]+)$/.exec(file)?.[1] ?? []);
  const found = files.has("main.go")
    ? module
    : commands.length === 1
      ? commands[0]
      : [module, ...usual].find((name) => commands.includes(name));
  return found !== undefined && /^[\w.-]+$/.test(found) ? found : null;
}
