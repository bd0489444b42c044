import * as z from "zod/mini";

import { readSource, SOURCE_FORM } from "#cli/configuration/environment-values.ts";
import { type Item, SECRET, sourceAt } from "#cli/configuration/item.ts";
import { type Fields, fieldOf, isFields, type Json } from "#cli/configuration/json.ts";
import { itemOf, type Kind, type Reading, type Running } from "#cli/configuration/kind.ts";
import { mapLimited } from "#cli/configuration/map-limited.ts";
import type { Names } from "#cli/configuration/names.ts";
import { changedFields, type Step } from "#cli/configuration/plan.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { changeVariables, type VariableToSet } from "#cli/variables/change-variables.ts";
import { variableError } from "#cli/variables/check-variable.ts";
import { serversOf, VariableName, type Variables } from "#contract/endpoints/variables/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";

/** A variable whose value is in the environment. */
const SourcedVariable = z.strictObject({
  from: z.string(),
  secret: z._default(z.boolean(), false),
  build: z._default(z.boolean(), false),
});

/** The variables of projects: plain ones by their values, secrets by their names and where their values come from. */
export const variableKind: Kind = {
  name: "variables",
  schema: null,
  parse(key, table, reading) {
    const sources = new Map<string, string>();
    const fields = Object.entries(table).flatMap(([name, given]): [string, Json][] => {
      const read = readVariable(name, given, reading);
      if (read === null) return [];
      if (read.source !== null) sources.set(pathText([name]), read.source);
      return [[name, read.field]];
    });
    return { name: key, identity: key, fields: Object.fromEntries(fields), sources, masked: [] };
  },
  async read(session, names) {
    const read = await mapLimited(names.all("project"), (name) => readOne(session.client, names, name));
    const items: Item[] = [];
    for (const one of read) {
      if (!one.ok) return one;
      if (one.value !== null) items.push(one.value);
    }
    return succeed(items);
  },
  readAgain: async ({ client }, names, { key }) => await readOne(client, names, key),
  create: change,
  update: change,
  remove: async () => await Promise.reject(new Error("the variables of a project are deleted with it")),
};

async function readOne(
  client: Running["session"]["client"],
  names: Names,
  project: string,
): Promise<Result<Item | null>> {
  const id = names.idOf("project", project);
  if (id === null) return succeed(null);
  const read = await client.getVariables({ params: { project_id: ProjectId.parse(id) } });
  if (read.ok) return succeed(toItem(project, id, read.value));
  return read.problem.code === "not_found" ? succeed(null) : read;
}

function toItem(project: string, id: string, answer: Variables): Item {
  const { variables, revision } = answer;
  const fields = variables.map((variable): [string, Json] => [
    variable.name,
    variable.secret ? { secret: true, build: variable.build } : variable.value,
  ]);
  return itemOf("variables", {
    key: project,
    id,
    fields: Object.fromEntries(fields),
    mark: String(revision),
    seals: {
      sealedFor: new Map(
        variables.flatMap((one) => (one.secret ? [[one.name, one.sealed_for] as const] : [])),
      ),
      keys: new Map(serversOf(answer).map((one) => [one.server_id, one.seal_key?.fingerprint ?? null])),
    },
  });
}

type Read = { readonly field: Json; readonly source: string | null };

function readVariable(name: string, given: Json, { environment, issues }: Reading): Read | null {
  const refuse = (message: string, ...path: readonly string[]) => {
    issues.push({ path: [name, ...path], message });
    return null;
  };
  const named = VariableName.safeParse(name);
  if (!named.success) return refuse(named.error.issues[0]?.message ?? "is no name of a variable");
  if (typeof given === "string") return checkVariable(given, { name, isSecret: false, build: null }, refuse);
  if (!isFields(given)) return refuse('must be a text in quotes, or a table such as { from = "env:NAME" }');
  const table = SourcedVariable.safeParse(given);
  if (!table.success) {
    const [issue] = table.error.issues;
    return refuse(issue?.message ?? "is invalid", ...(issue?.path ?? []).map(String));
  }
  const { secret, build } = table.data;
  const source = readSource(table.data.from);
  if (source === null) return refuse(SOURCE_FORM, "from");
  if (build && !secret) return refuse("is for secrets only: builds get every other variable", "build");
  const value = environment[source];
  if (secret) {
    const checked = checkVariable(value ?? "x", { name, isSecret: true, build }, refuse);
    return checked === null ? null : { field: { secret: true, build }, source };
  }
  // As a secret: it is only needed if the project does not have the variable.
  if (value === undefined) return { field: SECRET, source };
  const checked = checkVariable(value, { name, isSecret: false, build: null }, refuse);
  return checked === null ? null : { ...checked, source };
}

/** Never quotes the value. */
function checkVariable(
  value: string,
  variable: Omit<VariableToSet, "value">,
  refuse: (message: string) => null,
): Read | null {
  const problem = variableError({ ...variable, value });
  return problem === null ? { field: value, source: null } : refuse(`cannot be set: ${problem}`);
}

/** Sets variables as one revision, if nobody has changed them since the plan, and then removes others. */
async function change(running: Running, step: Step): Promise<Result<unknown>> {
  const { session, names, acceptKeys } = running;
  const { item, current, after } = step;
  const id = names.idOf("project", item.key);
  if (id === null) return stop("changed_since_plan", `The project ${item.key} no longer exists.`);
  const projectId = ProjectId.parse(id);
  const params = { project_id: projectId };
  const before = await session.client.getVariables({ params });
  if (!before.ok) return before;
  const changed = changedFields(step);
  const set = changed.flatMap((name) => toSet(name, after, item, session.environment));
  const missing = set.find(({ value }) => value === null);
  if (missing !== undefined) return stop("usage", `The value of ${missing.name} is not in the environment.`);
  const planned = current?.mark ?? String(before.value.revision);
  const decide = ({ revision }: Variables): Result<readonly VariableToSet[]> =>
    String(revision) === planned
      ? succeed(set.flatMap((one) => (one.value === null ? [] : [{ ...one, value: one.value }])))
      : stop("changed_since_plan", `The variables of ${item.key} were changed since the plan was made.`);
  const written =
    set.length === 0
      ? before
      : await changeVariables(session, projectId, {
          ...{ before: before.value, decide },
          acceptKeys: keysOfProject(before.value, acceptKeys),
        });
  if (!written.ok) return written;
  const remove = changed.filter((name) => !Object.hasOwn(after, name));
  if (remove.length === 0) return written;
  return await session.client.updateVariables({ params, body: { remove, revision: written.value.revision } });
}

/** The values of --accept-key for one project: the others are for other projects if they have the keys of all its servers. */
function keysOfProject(variables: Variables, acceptKeys: readonly string[]): readonly string[] {
  const own = serversOf(variables).map((server) => server.seal_key?.fingerprint ?? "");
  return own.every((key) => acceptKeys.includes(key)) ? own : acceptKeys;
}

type Sent = Omit<VariableToSet, "value"> & { readonly value: string | null };

function toSet(name: string, after: Fields, { sources }: Item, environment: NodeJS.ProcessEnv): Sent[] {
  const field = fieldOf(after, name);
  if (field === undefined) return [];
  if (typeof field === "string")
    return [{ name, value: field === SECRET ? null : field, isSecret: false, build: null }];
  const source = sourceAt(sources, [name]);
  const value = source === null ? null : (environment[source] ?? null);
  const build = isFields(field) && field["build"] === true;
  return [{ name, value, isSecret: true, build }];
}
