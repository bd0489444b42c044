import { sourceText, suggestedSource } from "#cli/configuration/environment-values.ts";
import {
  type Item,
  type KindName,
  kindNames,
  mapSecrets,
  sourceAt,
  type Sources,
  type State,
} from "#cli/configuration/item.ts";
import { type Fields, isFields, type Json, stableText } from "#cli/configuration/json.ts";
import type { Kind } from "#cli/configuration/kind.ts";
import { kinds } from "#cli/configuration/kinds.ts";
import { Names } from "#cli/configuration/names.ts";
import { shortFields, shortTable } from "#cli/configuration/shorten.ts";
import { pairItems } from "#cli/configuration/plan.ts";
import { looksSecret } from "#contract/looks-secret.ts";

type Exporting = {
  readonly names: Names;
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The file to write back to: its tables keep their names, and values their sources. */
  readonly before?: State;
};

/** Writes the state of an installation as a document: without defaults, secrets and IDs. */
export function exportState(state: State, exporting: Exporting): Fields {
  const tables = new Map<KindName, Fields>();
  for (const kind of kindNames) {
    const items = state.get(kind);
    if (items !== undefined) tables.set(kind, tablesOf(kind, items, exporting));
  }
  const { variables = {}, account, projects, ...others } = Object.fromEntries(tables);
  const withVariables = (table: Fields, name: string): Fields =>
    Object.hasOwn(variables, name) ? { ...table, variables: variables[name] ?? {} } : table;
  return {
    servers: [...exporting.names.all("server")].toSorted(),
    ...(account === undefined ? {} : { account: account["account"] ?? {} }),
    ...(projects === undefined
      ? {}
      : {
          projects: Object.fromEntries(
            Object.entries(projects).map(([name, table]) => [
              name,
              withVariables(isFields(table) ? table : {}, name),
            ]),
          ),
        }),
    ...others,
  };
}

function tablesOf(kind: KindName, items: readonly Item[], exporting: Exporting): Fields {
  const kept = exporting.before?.get(kind) ?? [];
  const paired = pairItems(kept, items).flatMap(({ wanted, current }) =>
    current === null ? [] : [{ item: current, wanted }],
  );
  const taken = new Set(paired.flatMap(({ wanted }) => (wanted === null ? [] : [wanted.key])));
  const added = paired
    .filter(({ wanted }) => wanted === null)
    .toSorted((one, other) => compare(one.item, other.item));
  const known = paired.filter(({ wanted }) => wanted !== null);
  const tables = [...known, ...added].map(({ item, wanted }): [string, Fields] => {
    const key = wanted?.key ?? freeKey(item.key, taken);
    taken.add(key);
    const sources = wanted?.sources ?? new Map<string, string>();
    const fields = tableOf(item, key, { ...exporting, sources });
    const shown = key === item.key || kind === "hooks" || kind === "projects" ? {} : { name: item.name };
    return [key, { ...(kind === "members" ? {} : shown), ...fields }];
  });
  return Object.fromEntries(tables);
}

/** Things with equal names are in the order of their fields, so that two installations have the same document. */
function compare(one: Item, other: Item): number {
  const [first, second] = [one, other].map((item) => JSON.stringify([item.key, stableText(item.fields)]));
  if (first === second || first === undefined || second === undefined) return 0;
  return first < second ? -1 : 1;
}

function freeKey(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let at = 2; ; at += 1) if (!taken.has(`${name} (${at})`)) return `${name} (${at})`;
}

/** @param key the name of the table, which no other table of the kind has */
function tableOf(item: Item, key: string, exporting: Exporting & { readonly sources: Sources }): Fields {
  const { kind } = item;
  const { sources } = exporting;
  const noun = kind === "projects" || kind === "variables" ? key : `${kind.replace(/s$/, "")} ${key}`;
  if (kind === "variables") return variablesTable(item, sources, exporting);
  const shown = mapSecrets(item.fields, [], (path) =>
    sourceText(sourceAt(sources, path) ?? suggestedSource(noun, ...path)),
  );
  return isFields(shown) ? shorten(kinds[kind], item, shown, exporting) : {};
}

/** Plain variables by their values, unless they look like secrets; secrets only by their names. */
function variablesTable({ key, fields }: Item, sources: Sources, { environment }: Exporting): Fields {
  const table = Object.entries(fields)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]): [string, Json] => {
      const source = sourceAt(sources, [name]);
      const from = sourceText(source ?? suggestedSource(key, name));
      if (typeof value !== "string") {
        const isBuild = isFields(value) && value["build"] === true;
        return [name, { ...from, secret: true, ...(isBuild ? { build: true } : {}) }];
      }
      const isSourced = source !== null && (environment[source] ?? value) === value;
      return [name, isSourced || looksSecret(name, value) ? from : value];
    });
  return Object.fromEntries(table);
}

/** Leaves out what the file need not say: each field without which the table means the same. */
function shorten(kind: Kind, item: Item, table: Fields, exporting: Exporting): Fields {
  const names = Names.forFile(exporting.names.all("server"), exporting.names.all("project"));
  const parse = (candidate: Fields) =>
    kind.parse(item.key, candidate, { ...exporting, names, issues: [], isLenient: true });
  const { table: short, required } = shortFields(kind.schema, table, names);
  // A masked value means nothing, and stays as it is.
  const masked = parse(table)?.masked ?? [];
  return shortTable(table, (candidate) => parse(candidate)?.fields, {
    table: short,
    required: [...required, ...masked],
  });
}
