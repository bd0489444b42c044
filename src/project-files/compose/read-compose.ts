import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { parseYaml } from "#project-files/compose/parse-yaml.ts";
import { readService, type Service } from "#project-files/compose/read-service.ts";
import { createReadMap } from "#project-files/compose/values.ts";
import { type FileProblem, unusable } from "#project-files/processes/file-problem.ts";

/** What a Compose file defines. */
export type ComposeFile = {
  readonly services: readonly Service[];
  /** The keys at its top that mean something and are not read. */
  readonly others: readonly string[];
};

const readKeys: ReadonlySet<string> = new Set(["services", "version", "name", "volumes"]);
/** No file has more. */
const MAX_SERVICES = 100;

/** Reads a Compose file. What it says in other files is not read. Never throws. */
export function readCompose(
  text: string,
  path: string,
): ResultOf<ComposeFile, { readonly problem: FileProblem }> {
  const yaml = parseYaml(text, path);
  if (!yaml.ok) return yaml;
  const read = createReadMap();
  const top = read(yaml.value);
  const services = read(top.get("services"));
  if (services.size === 0) return noServices(path, top, (value) => read(value).size > 0);
  if (services.size > MAX_SERVICES)
    return unusable(
      `${path} defines ${services.size} services, and at most ${MAX_SERVICES} are read`,
      "Divide the file.",
    );
  for (const [name, value] of services)
    if (read(value).size === 0)
      return unusable(
        `the service ${name.slice(0, 60)} of ${path} has no fields`,
        "Give it an `image` or a `build`, or remove it.",
      );
  return succeed({
    services: [...services].map(([name, value]) => readService(name, value, read)),
    others: [...top.keys()].filter((key) => !readKeys.has(key) && !key.startsWith("x-")),
  });
}

function noServices(
  path: string,
  top: ReadonlyMap<string, unknown>,
  hasFields: (value: unknown) => boolean,
): ReturnType<typeof unusable> {
  if (top.has("include"))
    return unusable(
      `${path} has no services of its own, and the files that it includes are not read`,
      "Run `gantry import compose FILE` for each of them.",
    );
  // The first version of the format has the services at the top.
  if (!top.has("services") && [...top.values()].some(hasFields))
    return unusable(
      `${path} has no key \`services\`, as in the first version of the format`,
      "Write `services:` at its top, and indent the services below it.",
    );
  return unusable(`${path} defines no services`, "Write the services of the app below the key `services`.");
}
