import { isPair, isScalar, parseDocument, visit } from "yaml";

import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { MAX_COMPOSE_BYTES } from "#project-files/compose/compose-files.ts";
import { type FileProblem, type Unusable, unusable } from "#project-files/processes/file-problem.ts";

/** Looking up an alias takes as long as the file is, and an alias can stand for others. */
const MAX_ALIASES = 500;

/** What a tag of Compose does with the value of an earlier file: `reset` removes it, `override` takes its place. */
export type MergeTag = "reset" | "override";

/** `tags`: the merge tags of fields, by their paths as `pathKey` writes them. */
export type ParsedYaml = { readonly value: unknown; readonly tags: ReadonlyMap<string, MergeTag> };

export const pathKey = (path: readonly string[]): string => path.join("\n");

/** Reads a text in YAML 1.2, with limits for texts that would take minutes or gigabytes. `<<` is a key like others. Never throws. */
export function parseYaml(
  text: string,
  path: string,
): ResultOf<ParsedYaml, { readonly problem: FileProblem }> {
  if (text.length > MAX_COMPOSE_BYTES)
    return unusable(`${path} is larger than 64 KiB`, "Check that it is the right file.");
  try {
    // Without it, the parser prints warnings.
    const document = parseDocument(text, { logLevel: "error" });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = error.linePos?.[0].line ?? 1;
      const [what = ""] = error.message.split(/ at line \d|\n/);
      return unusable(`line ${line} of ${path} is not YAML: ${what}`, `Correct line ${line} of ${path}.`);
    }
    let aliases = 0;
    const tags = new Map<string, MergeTag>();
    visit(document, {
      Alias: () => void (aliases += 1),
      Pair(_, { key, value }, parents) {
        const tag = tagOf(value);
        if (tag === null) return undefined;
        tags.set(pathKey([...parents.filter(isPair).map((one) => nameOf(one.key)), nameOf(key)]), tag);
        return tag === "reset" ? visit.REMOVE : undefined;
      },
    });
    if (aliases > MAX_ALIASES) return tooManyAliases(path);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return succeed({ value, tags });
  } catch (error) {
    // What the parser throws is about the text: aliases that stand for too much, or are not defined.
    if (error instanceof ReferenceError && error.message.startsWith("Excessive alias"))
      return tooManyAliases(path);
    if (error instanceof ReferenceError || error instanceof RangeError)
      return unusable(
        `${path} cannot be read: ${error.message}`,
        `Correct the anchors and aliases of ${path}.`,
      );
    throw error;
  }
}

function tagOf(value: unknown): MergeTag | null {
  const tag = typeof value === "object" && value !== null && "tag" in value ? value.tag : null;
  return tag === "!reset" ? "reset" : tag === "!override" ? "override" : null;
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

function tooManyAliases(path: string): Unusable {
  return unusable(
    `the aliases of ${path} stand for more than ${MAX_ALIASES} copies`,
    "Write what they stand for in its place.",
  );
}
