import type { Issue } from "#cli/configuration/convert.ts";
import { type Item, type KindName, kindNames, pathOf, type State } from "#cli/configuration/item.ts";
import { withoutValues } from "#cli/configuration/environment-values.ts";
import { isList, type Fields, fieldOf, isFields, type Json } from "#cli/configuration/json.ts";
import { kinds } from "#cli/configuration/kinds.ts";
import { Names } from "#cli/configuration/names.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";

/** The keys at the root of a file. */
const rootKeys = ["$schema", "servers", ...kindNames.filter((kind) => kind !== "variables")] as const;

/** What a file wants, and the names of the installation as the file has them: a project can have a new name. */
export type Wanted = {
  readonly state: State;
  readonly names: Names;
  /** What the file says without an effect. Sentences. */
  readonly notices: readonly string[];
};

type Surroundings = {
  readonly path: string;
  readonly names: Names;
  readonly environment: NodeJS.ProcessEnv;
  readonly url: string;
  /** Whether names that the installation does not have, and missing values of the environment, are no mistakes. */
  readonly isLenient?: boolean;
};

/** Reads a document. All mistakes are reported at once, each with its place. */
export function readWanted(document: Fields, given: Surroundings): Result<Wanted> {
  const issues: Issue[] = [];
  for (const key of Object.keys(document))
    if (!rootKeys.some((known) => known === key))
      issues.push({ path: [key], message: `is unknown.${didYouMean(key, rootKeys)}` });
  if (given.isLenient !== true) checkServers(document["servers"], given.names, issues);
  const projects = tablesOf(document, "projects", issues) ?? new Map<string, Fields>();
  const names = given.names.renamed(renames(projects, given.names));
  const all = [...new Set([...names.all("project"), ...projects.keys()])];
  const { isLenient = false } = given;
  const reading = { ...given, isLenient, names: Names.forFile(names.all("server"), all, isLenient) };

  const state = new Map<KindName, readonly Item[]>();
  const add = (kind: KindName, tables: ReadonlyMap<string, Fields>) => {
    const items = [...tables].flatMap(([key, table]): Item[] => {
      const found: Issue[] = [];
      const parsed = kinds[kind].parse(key, table, { ...reading, issues: found });
      issues.push(
        ...found.map(({ path, message }) => ({ path: [...pathOf({ kind, key }), ...path], message })),
      );
      return parsed === null ? [] : [{ kind, key, id: null, mark: "", given: Object.keys(table), ...parsed }];
    });
    state.set(kind, items);
  };
  for (const kind of kindNames) {
    if (kind === "variables") {
      const tables = variablesOf(projects, issues);
      if (tables.size > 0) add(kind, tables);
    } else if (kind === "account") {
      const table = document["account"];
      if (isFields(table)) add(kind, new Map([["account", table]]));
      else if (table !== undefined) issues.push({ path: ["account"], message: "must be a table" });
    } else {
      const tables = tablesOf(document, kind, kind === "projects" ? [] : issues);
      if (tables !== null) add(kind, tables);
    }
  }
  refuseTwice(state, issues);
  const notices = uselessRenames(projects, given.names);
  if (issues.length === 0) return succeed({ state, names, notices });
  const hidden = issues.map(({ path, message }) => ({
    path,
    message: withoutValues(message, document, given.environment),
  }));
  return mistakes(given.path, hidden);
}

function mistakes(path: string, issues: readonly Issue[]): Result<never> {
  const count = issues.length === 1 ? "a mistake" : `${issues.length} mistakes`;
  const stopped = stop("invalid_file", `${path} has ${count}. Nothing was changed.`);
  const errors = issues.map(({ path: place, message }) => ({ pointer: pathText(place), message }));
  return { ...stopped, problem: { ...stopped.problem, errors } };
}

/** Servers cannot be created by a file, because their agents are installed by hand. */
function checkServers(given: Json | undefined, names: Names, issues: Issue[]): void {
  if (given === undefined) return;
  if (!isList(given)) {
    issues.push({ path: ["servers"], message: "must be a list of names" });
    return;
  }
  for (const name of given) {
    if (typeof name === "string" && names.idOf("server", name) !== null) continue;
    const text = typeof name === "string" ? name : JSON.stringify(name);
    const hint = didYouMean(text, names.all("server"));
    issues.push({
      path: ["servers"],
      message: `has ${printableName(text)}, which the installation does not have.${hint} gantry servers add adds a server.`,
    });
  }
}

/** The tables of a kind; null: the file has none, so the kind is not managed. */
function tablesOf(document: Fields, kind: string, issues: Issue[]): ReadonlyMap<string, Fields> | null {
  const given = fieldOf(document, kind);
  if (given === undefined) return null;
  if (!isFields(given)) {
    issues.push({ path: [kind], message: "must be a table" });
    return null;
  }
  const tables = Object.entries(given).flatMap(([key, table]): [string, Fields][] => {
    if (isFields(table)) return [[key, table]];
    issues.push({ path: [kind, key], message: "must be a table" });
    return [];
  });
  return new Map(tables);
}

function variablesOf(projects: ReadonlyMap<string, Fields>, issues: Issue[]): ReadonlyMap<string, Fields> {
  const tables = [...projects].flatMap(([key, table]): [string, Fields][] => {
    const given = fieldOf(table, "variables");
    if (given === undefined) return [];
    if (isFields(given)) return [[key, given]];
    issues.push({ path: ["projects", key, "variables"], message: "must be a table" });
    return [];
  });
  return new Map(tables);
}

/** The new names of projects that still have their old ones. */
function renames(projects: ReadonlyMap<string, Fields>, names: Names): ReadonlyMap<string, string> {
  const renamed = [...projects].flatMap(([name, table]): [string, string][] => {
    const was = fieldOf(table, "was");
    const isRename =
      typeof was === "string" && names.idOf("project", was) !== null && names.idOf("project", name) === null;
    return isRename ? [[was, name]] : [];
  });
  return new Map(renamed);
}

/** Names after `was` that rename nothing. After a rename, only the new name exists, and \`was\` can stay. */
function uselessRenames(projects: ReadonlyMap<string, Fields>, names: Names): string[] {
  return [...projects].flatMap(([name, table]) => {
    const was = fieldOf(table, "was");
    if (typeof was !== "string") return [];
    const [isOld, isNew] = [was, name].map((one) => names.idOf("project", one) !== null);
    if (isOld !== isNew) return [];
    const place = pathText(["projects", name, "was"]);
    return isOld
      ? `${place} has no effect: the installation has both ${was} and ${name}.`
      : `${place} has no effect: the installation has no project ${was}, so ${name} is created without a history.`;
  });
}

/** Two tables for the same thing would change it back and forth. Things with names that may repeat can be equal. */
function refuseTwice(state: State, issues: Issue[]): void {
  for (const kind of ["projects", "hooks", "members"] as const) {
    const items = state.get(kind) ?? [];
    for (const [at, item] of items.entries()) {
      const other = items.slice(0, at).find(({ identity }) => identity === item.identity);
      if (other !== undefined)
        issues.push({ path: pathOf(item), message: `is the same as ${pathText(pathOf(other))}` });
    }
  }
}
