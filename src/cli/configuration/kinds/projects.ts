import {
  checked,
  documentFields,
  itemOrNull,
  itemOf,
  type Kind,
  readTable,
  requestOf,
  without,
} from "#cli/configuration/kind.ts";
import type { Item } from "#cli/configuration/item.ts";
import { type Fields, fieldOf, isFields, type Json } from "#cli/configuration/json.ts";
import { mapLimited } from "#cli/configuration/map-limited.ts";
import { Names } from "#cli/configuration/names.ts";
import { changedFields } from "#cli/configuration/plan.ts";
import { documentName } from "#cli/configuration/schema-parts.ts";
import { readAll } from "#client/read-all.ts";
import { CreateProjectInput, UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { settingNames } from "#contract/endpoints/projects/project-settings.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { ProjectServers, projectServers } from "#contract/endpoints/projects/servers.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { parseRepository } from "#contract/addresses/repository-address.ts";
import { isMasked, SHORTEST_USER_TOKEN } from "#contract/git-names.ts";
import { ProjectId } from "#contract/ids.ts";
import { pick } from "#contract/lib/pick.ts";
import { succeed } from "#contract/lib/result.ts";
import { readTimes } from "#project-files/cron/find-cron-problem.ts";

/** What the table of a project has besides its settings: its earlier name, and its variables. */
const EXTRAS = ["was", "variables"] as const;

/** Projects with their settings, processes and cron jobs. The rows of the table of settings decide what that is. */
export const projectKind: Kind = {
  name: "projects",
  schema: CreateProjectInput,
  parse(key, table, reading) {
    const { issues } = reading;
    const settings = without(table, ...EXTRAS);
    const was = fieldOf(table, "was");
    if (was !== undefined && typeof was !== "string")
      issues.push({ path: ["was"], message: "must be the earlier name of the project" });
    const read = readTable(settings, reading, {
      schema: CreateProjectInput,
      fixed: { name: key },
      prepare: (request) => ({ ...firstServer(request), ...request }),
    });
    if (read === null) return null;
    const project = CreateProjectInput.parse(read.request);
    if (hasPassword(project.repository))
      issues.push({
        path: ["repository"],
        message: "has a password: leave it out, and set the secret GANTRY_REPOSITORY_TOKEN",
      });
    for (const job of project.cron ?? []) {
      const times = readTimes(job);
      if (!times.ok) issues.push({ path: ["cron", job.name, times.field], message: times.reason });
    }
    const all = settingFields(project, reading.names);
    const masked = Object.entries(all).flatMap(([name, value]) => (hasMask(value) ? [name] : []));
    return {
      ...{ name: project.name, identity: project.name, sources: read.sources, masked },
      fields: without(all, ...masked),
    };
  },
  async read({ client }, names) {
    const rows = await readAll(client.listProjects, (page) => page.projects);
    if (!rows.ok) return rows;
    const projects = await mapLimited(rows.value, ({ id }) =>
      client.getProject({ params: { project_id: id } }),
    );
    const items: Item[] = [];
    for (const project of projects) {
      if (project.ok) items.push(toItem(project.value, names));
      else if (project.problem.code !== "not_found") return project;
    }
    return succeed(items);
  },
  readAgain: async ({ client }, names, { id }) =>
    await itemOrNull(client.getProject({ params: { project_id: ProjectId.parse(id) } }), (project) =>
      toItem(project, names),
    ),
  async create({ session, names }, { item, after }) {
    const body = checked(CreateProjectInput, { ...creating(after, names), name: item.name });
    if (!body.ok) return body;
    const created = await session.client.createProject({ body: body.value });
    if (created.ok) names.add("project", item.name, created.value.id);
    return created;
  },
  async update({ session, names }, step) {
    const { item, current, after } = step;
    const changed = new Set(changedFields(step));
    const [before, request] = [settingsOf(current?.fields ?? {}, names), settingsOf(after, names)];
    const settings = [...shape].flatMap(([name, schema]): [string, unknown][] => {
      const isSent = changed.has(documentName(name, schema)) && request.has(name);
      return isSent ? [[name, changeOf(name, before.get(name), request.get(name))]] : [];
    });
    const automatic = AutomaticSetting.options.filter((name) => changed.has(name) && !request.has(name));
    const body = checked(UpdateProjectInput, {
      ...Object.fromEntries(settings),
      ...(changed.has("name") ? { name: item.name } : {}),
      ...(automatic.length === 0 ? {} : { automatic }),
    });
    if (!body.ok) return body;
    const params = { project_id: ProjectId.parse(current?.id) };
    return await session.client.updateProject({ params, body: body.value });
  },
  remove: async ({ session }, { id }) =>
    await session.client.deleteProject({ params: { project_id: ProjectId.parse(id) } }),
};

/** Its identity is its name in the file, also if the file renames it. */
function toItem(project: Project, names: Names): Item {
  const { id, name } = project;
  const set = settingNames.filter((one) => !project.automatic.some((automatic) => automatic === one));
  const known = names.nameOf("project", id);
  const fields = settingFields(pick(project, set), names);
  return itemOf("projects", { key: known === id ? name : known, id, name, fields });
}

type ServerSettings = Pick<Project, "server_id" | "servers">;

/** The settings of a project as a file has them: the servers always as a list, whose first one is the `server_id`. */
function settingFields(settings: Partial<ServerSettings> & object, names: Names): Fields {
  const { server_id: serverId, servers = [] } = settings;
  const list = serverId === undefined ? servers : projectServers(serverId, servers);
  const fields = documentFields(CreateProjectInput, { ...settings, servers: list }, names);
  return without(fields, "name", "server");
}

/** Stands for the `server_id` of a table whose `servers` have a mistake, so that only that mistake is reported. */
const SOME_SERVER = Names.forFile(["x"], []).idOf("server", "x");

/** The `server_id` of a table that only has `servers`. */
function firstServer({ servers }: Readonly<Record<string, unknown>>): object {
  if (servers === undefined || (Array.isArray(servers) && servers.length === 0)) return {};
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  const id = typeof first === "object" && first !== null && "id" in first ? first.id : undefined;
  return { server_id: id ?? SOME_SERVER };
}

const shape = new Map(Object.entries(CreateProjectInput.shape));

/** The settings as a request has them. */
function settingsOf(fields: Fields, names: Names): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(requestOf(CreateProjectInput, fields, names)));
}

/** The settings of a request that creates a project. One server that runs everything needs no list. */
function creating(fields: Fields, names: Names): object {
  const request = settingsOf(fields, names);
  const servers = ProjectServers.safeParse(request.get("servers"));
  const [first, ...others] = servers.success ? servers.data : [];
  const isAlone = others.length === 0 && first?.processes === null && !first.cron;
  return { ...Object.fromEntries(request), server_id: first?.id, ...(isAlone ? { servers: [] } : {}) };
}

const updateShape = new Map(Object.entries(UpdateProjectInput.shape));

/**
 * What changes a setting from one value to another. Of some settings a request only has the fields to change, with null to
 * remove one; others are replaced. Their schemas tell which.
 */
function changeOf(name: string, before: unknown, after: unknown): unknown {
  const schema = updateShape.get(name);
  const merged = withRemovals(before, after);
  return schema?.safeParse(merged).success === true ? merged : after;
}

/** The value with null for each field that it no longer has. */
function withRemovals(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.fromEntries([
    ...Object.entries(after).map(([key, value]: [string, unknown]) => [
      key,
      withRemovals(new Map<string, unknown>(Object.entries(before)).get(key), value),
    ]),
    ...removed.map((key) => [key, null]),
  ]);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has the stars that hide a password or a value of a query. */
function hasMask(value: Json): boolean {
  if (typeof value === "string") return isMasked(value);
  return (
    isFields(value) && Object.values(value).some((inner) => typeof inner === "string" && isMasked(inner))
  );
}

/** Whether an address has a password or an access token, which a file must not have. */
function hasPassword(repository: string): boolean {
  const parsed = parseRepository(repository);
  if (!parsed.ok || !("login" in parsed.value) || parsed.value.login === null) return false;
  const { user, password } = parsed.value.login;
  if (password === "***" || user === "***") return false;
  return (password ?? "") !== "" || (parsed.value.kind === "https" && user.length >= SHORTEST_USER_TOKEN);
}
