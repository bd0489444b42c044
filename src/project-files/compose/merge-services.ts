import type { MergeTag } from "#project-files/compose/parse-yaml.ts";
import { pathKey } from "#project-files/compose/parse-yaml.ts";
import { assignment, type ReadMap, textOf, textsOf } from "#project-files/compose/values.ts";

type Fields = ReadonlyMap<string, unknown>;
type Tags = ReadonlyMap<string, MergeTag>;

/** Deeper values are replaced as a whole. No field has more levels, but a map can be a part of itself. */
const MAX_DEPTH = 6;

/** Lists of commands, which are replaced and not added to. Source: the merge rules of the Compose specification. */
const replaced: ReadonlySet<string> = new Set(["command", "entrypoint", "test"]);
/** Fields that are a map, or a list of `NAME=value`. */
const assignments: ReadonlySet<string> = new Set(["environment", "args", "labels"]);

/** Merges the services of a file into the services of earlier files. @param tags the merge tags of the later file */
export function mergeServices(earlier: Fields, later: Fields, tags: Tags, read: ReadMap): Fields {
  return mergeMaps(earlier, later, ["services"], tags, read);
}

/** The services of a file with the fields of its services that they extend. Compose does this before it merges files. */
export function withExtended(services: Fields, tags: Tags, read: ReadMap): Fields {
  /** @param names of the service, after the services that extend it */
  const extended = (value: unknown, names: readonly string[]): unknown => {
    const { extends: target, ...own } = Object.fromEntries(read(value));
    const fields = read(target);
    const name = textOf(target) ?? (fields.has("file") ? null : textOf(fields.get("service")));
    const base = name === null || names.includes(name) ? undefined : services.get(name);
    if (name === null || base === undefined) return value;
    const whole = extended(base, [...names, name]);
    return Object.fromEntries(
      mergeMaps(read(whole), read(own), ["services", names.at(-1) ?? ""], tags, read),
    );
  };
  return new Map([...services].map(([name, value]) => [name, extended(value, [name])]));
}

function mergeMaps(
  earlier: Fields,
  later: Fields,
  path: readonly string[],
  tags: Tags,
  read: ReadMap,
): Fields {
  const merged = new Map(earlier);
  for (const name of tags.keys()) {
    const parts = name.split("\n");
    if (tags.get(name) === "reset" && pathKey(parts.slice(0, -1)) === pathKey(path))
      merged.delete(parts.at(-1) ?? "");
  }
  for (const [name, value] of later) {
    const at = [...path, name];
    merged.set(name, mergeValues(earlier.get(name), value, at, tags, read));
  }
  return merged;
}

function mergeValues(
  earlier: unknown,
  later: unknown,
  path: readonly string[],
  tags: Tags,
  read: ReadMap,
): unknown {
  const name = path.at(-1) ?? "";
  if (earlier === undefined || earlier === null || tags.get(pathKey(path)) === "override") return later;
  if (replaced.has(name) || path.length > MAX_DEPTH) return later ?? earlier;
  const [before, after] = [asMap(name, earlier, read), asMap(name, later, read)];
  if (before !== null && after !== null)
    return Object.fromEntries(mergeMaps(before, after, path, tags, read));
  const [first, second] = [listOf(earlier), listOf(later)];
  if (first !== null && second !== null) return [...first, ...second];
  return later ?? earlier;
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** The fields of a map, or of a field that is written in a shorter way; null for other values. */
function asMap(name: string, value: unknown, read: ReadMap): Fields | null {
  if (Array.isArray(value)) {
    const texts = textsOf(value);
    if (name === "depends_on") return new Map(texts.map((text) => [text, {}]));
    return assignments.has(name) ? new Map(texts.map(assignment)) : null;
  }
  const text = textOf(value);
  if (text !== null) return name === "build" ? new Map([["context", text]]) : null;
  return typeof value === "object" && value !== null ? read(value) : null;
}
