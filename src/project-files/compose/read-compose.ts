import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { mergeServices, withExtended } from "#project-files/compose/merge-services.ts";
import { parseYaml } from "#project-files/compose/parse-yaml.ts";
import { readService, type Service } from "#project-files/compose/read-service.ts";
import { createReadMap } from "#project-files/compose/values.ts";
import { type FileProblem, unusable } from "#project-files/processes/file-problem.ts";

/** What Compose files define. */
export type ComposeFile = {
  readonly services: readonly Service[];
  /** The keys at their top that mean something and are not read. */
  readonly others: readonly string[];
};

/** `path`: as messages name it. */
export type ComposeText = { readonly path: string; readonly text: string };

const readKeys: ReadonlySet<string> = new Set(["services", "version", "name", "volumes"]);
/** No file has more. */
const MAX_SERVICES = 100;

/** Reads a Compose file. What it says in other files is not read. Never throws. */
export function readCompose(
  text: string,
  path: string,
): ResultOf<ComposeFile, { readonly problem: FileProblem }> {
  return readComposeFiles([{ path, text }]);
}

/** Reads Compose files, each of which changes and completes the earlier ones, as with `docker compose --file`. Never throws. */
export function readComposeFiles(
  files: readonly ComposeText[],
): ResultOf<ComposeFile, { readonly problem: FileProblem }> {
  const read = createReadMap();
  let services: ReadonlyMap<string, unknown> = new Map();
  const others = new Set<string>();
  for (const [at, { path, text }] of files.entries()) {
    const yaml = parseYaml(text, path);
    if (!yaml.ok) return yaml;
    const top = read(yaml.value.value);
    const own = read(top.get("services"));
    if (own.size === 0) return noServices(path, top, (value) => read(value).size > 0);
    const { tags } = yaml.value;
    const whole = withExtended(own, tags, read);
    services = at === 0 ? whole : mergeServices(services, whole, tags, read);
    for (const key of top.keys()) if (!readKeys.has(key) && !key.startsWith("x-")) others.add(key);
  }
  const all = files.map(({ path }) => path).join(" and ");
  if (services.size > MAX_SERVICES)
    return unusable(
      `${all} defines ${services.size} services, and at most ${MAX_SERVICES} are read`,
      "Divide the file.",
    );
  for (const [name, value] of services)
    if (read(value).size === 0)
      return unusable(
        `the service ${name.slice(0, 60)} of ${all} has no fields`,
        "Give it an `image` or a `build`, or remove it. If the file completes another one, name both: `gantry import compose compose.yaml FILE`.",
      );
  return succeed({
    services: [...services].map(([name, value]) => readService(name, value, read)),
    others: [...others],
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
  const isFirst = !top.has("services") && [...top].some(([key, value]) => isService(key) && hasFields(value));
  if (isFirst)
    return unusable(
      `${path} has no key \`services\`, as in the first version of the format`,
      "Write `services:` at its top, and indent the services below it.",
    );
  return unusable(`${path} defines no services`, "Write the services of the app below the key `services`.");
}

/** Whether a key at the top is none of today's format. */
function isService(key: string): boolean {
  return !key.startsWith("x-") && !["networks", "volumes", "configs", "secrets", "models"].includes(key);
}
