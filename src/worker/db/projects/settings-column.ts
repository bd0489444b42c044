import { type SQL, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { CreateProjectInput, UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import {
  initialSettings,
  ProjectSettings,
  type SettingName,
  settingNames,
} from "#contract/endpoints/projects/project-settings.ts";
import { isAlone, projectServers } from "#contract/endpoints/projects/servers.ts";
import { withInitial } from "#contract/lib/field-table.ts";
import { pick } from "#contract/lib/pick.ts";
import { storedAs } from "#contract/stored.ts";
import { projects, type StoredSettings } from "#worker/db/schema.ts";
import { MAX_ARGUMENTS } from "#worker/db/statements.ts";

/** What a row has of a project's settings. */
export type SettingColumns = Pick<
  typeof projects.$inferSelect,
  "name" | "domain" | "serverId" | "repository" | "branch" | "settings"
>;

const OWN_COLUMN: readonly SettingName[] = ["name", "domain", "server_id", "repository", "branch"];

/** The settings in the JSON column. */
const storedNames = settingNames.filter(isStored);

function isStored(name: SettingName): name is keyof StoredSettings {
  return !OWN_COLUMN.includes(name);
}

const storedSettings = storedAs(
  z.strictObject(withInitial(pick(ProjectSettings.shape, storedNames), initialSettings)),
);

/** A project's settings. A row that was stored before there was a setting has its initial value. */
export function settingsOf({ serverId, settings, ...row }: SettingColumns): ProjectSettings {
  const { name, domain, repository, branch } = row;
  const stored = storedSettings.parse(settings);
  const servers = [...projectServers(serverId, stored.servers)];
  return { ...stored, name, domain, server_id: serverId, servers, repository, branch };
}

const storedDeployOn = storedAs(DeployOn);

/** Which pushes are deployed, from `storedSetting("deploy_on")`. */
export function deployOnOf(stored: unknown): DeployOn {
  return storedDeployOn.parse(stored ?? {});
}

/** The settings of a new project for the JSON column. */
export function newSettings(input: CreateProjectInput): StoredSettings {
  return { ...pick(input, storedNames), servers: storedServers(input.servers) };
}

/** The form in which a project's servers are stored: the `server_id` of a single one is enough, so it can change alone. */
export function storedServers(servers: StoredSettings["servers"]): StoredSettings["servers"] {
  return isAlone(servers) ? [] : servers;
}

/** Settings of which a request changes some fields. Null removes a field. */
const PATCHED: readonly SettingName[] = ["timeouts", "limits", "processes", "deploy_on", "rollout"];

/** `json_set` takes the column, and two arguments for each setting. */
const MOST_PAIRS = Math.floor((MAX_ARGUMENTS - 1) / 2);

/** Changes of the JSON column: its new value, and the settings that may differ. */
export type ChangedSettings = { readonly json: SQL; readonly names: readonly string[] };

/** The JSON column after a request's changes, which D1 computes; null: the request changes nothing in it. */
export function changedSettings({ automatic = [], ...input }: UpdateProjectInput): ChangedSettings | null {
  const given = storedNames.filter((name) => input[name] !== undefined);
  const names = [...automatic, ...given];
  if (names.length === 0) return null;
  let json = sql`${projects.settings}`;
  if (automatic.length > 0) json = sql`json_remove(${json}, ${sql.join(automatic.map(pathOf), sql`, `)})`;
  for (let at = 0; at < given.length; at += MOST_PAIRS) {
    const pairs = given
      .slice(at, at + MOST_PAIRS)
      .map((name) => sql`${pathOf(name)}, ${valueOf(name, input[name])}`);
    json = sql`json_set(${json}, ${sql.join(pairs, sql`, `)})`;
  }
  return { json, names };
}

/** A stored setting after changes of some of its fields, as JSON. */
export function patchedSetting(name: keyof StoredSettings, change: unknown): SQL {
  return sql`json_patch(coalesce(${storedSetting(name)}, '{}'), ${JSON.stringify(change)})`;
}

/** A stored setting as JSON; null: the framework provides it. */
export function storedSetting(name: keyof StoredSettings): SQL {
  return sql`${projects.settings} -> ${sql.raw(`'${name}'`)}`;
}

/** Whether the project in `projects` has no list of servers, so that another `server_id` moves all of it. */
export const hasOneServer = sql`coalesce(json_array_length(${storedSetting("servers")}), 0) = 0`;

function valueOf(name: keyof StoredSettings, value: unknown): SQL {
  return PATCHED.includes(name) ? patchedSetting(name, value) : sql`json(${JSON.stringify(value)})`;
}

function pathOf(name: keyof StoredSettings): SQL {
  return sql.raw(`'$.${name}'`);
}
