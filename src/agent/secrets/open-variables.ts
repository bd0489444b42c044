import * as z from "zod/mini";

import type { RunVariables, SealedToken } from "#contract/agent-order.ts";
import { loginValues } from "#agent/secrets/registry-auth.ts";
import { isAccessToken, REGISTRY_TOKEN, REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { storedAs } from "#contract/stored.ts";
import { unreadableReason } from "#agent/lib/unreadable-reason.ts";
import { readLiveRevisions, requireReleaseVariables } from "#agent/secrets/release-variables.ts";
import type { ServerSealKey } from "#agent/secrets/seal-key.ts";
import { readCurrent } from "#agent/workspace/current-link.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { openSecret } from "#sealing/secret-box.ts";

type Environment = Readonly<Record<string, string>>;

/** Variables with their secrets open. They exist in memory only. */
export type OpenVariables = {
  /** For builds: the plain variables, and the secrets that say so. */
  readonly build: Environment;
  /** For activate commands: all variables. */
  readonly activate: Environment;
  /** The password for the repository; `null` when the project has none. */
  readonly repositoryToken: string | null;
  /** The logins for the registries of base images; `null` when the project has none. */
  readonly registryToken: string | null;
  /** The values of all secrets, and the parts of them that programs print, to be masked. */
  readonly secretValues: readonly string[];
};

/** `message`: which secrets cannot be opened, why, and what to do. It contains no value. */
export type Opened = ResultOf<OpenVariables, { readonly message: string }>;

const Revisions = z.array(z.tuple([z.string(), z.int()]));
const storedRevisions = storedAs(Revisions);

/**
 * The newest revision of each secret that this server has opened, by name. A map, because a secret may be named
 * `constructor` or `__proto__`: every object seems to have a `constructor`, and zod's records drop `__proto__`.
 */
async function readNewest({ secretRevisions }: ProjectFolder): Promise<ReadonlyMap<string, number>> {
  const entriesOf = (json: unknown) =>
    typeof json === "object" && json !== null ? Object.entries(json) : [];
  const read = { parse: (json: unknown) => storedRevisions.parse(entriesOf(json)) };
  return new Map(await readJsonFile(secretRevisions, read));
}

export const noVariables: OpenVariables = {
  build: {},
  activate: {},
  repositoryToken: null,
  registryToken: null,
  secretValues: [],
};

/**
 * Opens the variables of an order.
 *
 * A secret that is older than an opened revision is refused, because the control plane could otherwise bring back a
 * password that was replaced. A rollback with earlier variables may use them if this server was live with that release
 * and that revision, or if they are live now.
 * @param reused the release that the order reuses; `null` when it builds one
 */
export async function openOrderVariables(
  folder: ProjectFolder,
  key: ServerSealKey,
  projectId: ProjectId,
  variables: RunVariables | undefined,
  reused: number | null,
): Promise<Opened> {
  if (variables === undefined) return { ok: true, value: noVariables };
  const newest = await readNewest(folder);
  const older = variables.secrets.filter(({ name, revision }) => revision < (newest.get(name) ?? 0));
  if (older.length > 0 && !(await wasLiveWith(folder, variables, older, reused))) {
    const why = variables.deployed
      ? "The values of an earlier deployment can be used only while its release is on this server."
      : "This server has used newer values of them. Enter them again.";
    return { ok: false, message: `the secrets ${namesOf(older)} are refused. ${why}` };
  }
  const opened = await openAll(key, projectId, variables);
  if (!opened.ok) return opened;
  // Before the first use, so that the agent remembers them even if it dies now.
  const changed = variables.secrets.filter(({ name, revision }) => revision > (newest.get(name) ?? 0));
  if (changed.length > 0) {
    const seen = changed.map(({ name, revision }) => [name, revision] as const);
    const next = JSON.stringify(Object.fromEntries([...newest, ...seen]));
    await writeAtomic(folder.secretRevisions, `${next}\n`, { mode: 0o600, flush: true });
  }
  return opened;
}

/**
 * Opens a project's repository token outside of a run. An older one than the newest that was opened is refused. Its
 * revision is not recorded, because a run may be writing that file; the next order records it.
 */
export async function openRepositoryToken(
  folder: ProjectFolder,
  key: ServerSealKey,
  projectId: ProjectId,
  { account_id, revision, sealed }: SealedToken,
): Promise<ResultOf<string, { readonly message: string }>> {
  const newest = await readNewest(folder);
  const about = { account_id, project_id: projectId, name: REPOSITORY_TOKEN, revision };
  const value =
    revision < (newest.get(REPOSITORY_TOKEN) ?? 0) ? null : await openSecret(key.keys, about, sealed);
  return value === null
    ? { ok: false, message: `this server cannot open the secret ${REPOSITORY_TOKEN}. Enter it again.` }
    : { ok: true, value };
}

/** Opens the variables of a release that was live on this server, to run its activate command again. */
export async function openReleaseVariables(
  folder: ProjectFolder,
  key: ServerSealKey,
  projectId: ProjectId,
  version: number,
): Promise<Opened> {
  let variables: RunVariables | null;
  try {
    variables = await requireReleaseVariables(folder, version);
  } catch (error) {
    const message = `the variables of release ${version} cannot be read: ${unreadableReason(error)}. Deploy again.`;
    return { ok: false, message };
  }
  return variables === null ? { ok: true, value: noVariables } : openAll(key, projectId, variables);
}

/** Whether the release was live with exactly these older secrets, or whatever is live now has them. */
async function wasLiveWith(
  folder: ProjectFolder,
  { deployed, revision }: RunVariables,
  older: RunVariables["secrets"],
  reused: number | null,
): Promise<boolean> {
  if (!deployed) return false;
  const current = await readCurrent(folder);
  const ofReused = reused === null ? [] : await readLiveRevisions(folder, reused);
  const ofCurrent = current === null ? [] : (await readLiveRevisions(folder, current)).slice(-1);
  return [...ofReused, ...ofCurrent].some(
    (live) =>
      live.revision === revision &&
      older.every((secret) =>
        live.secrets.some(([name, setBy]) => name === secret.name && setBy === secret.revision),
      ),
  );
}

async function openAll(
  key: ServerSealKey,
  project_id: ProjectId,
  { account_id, plain, secrets }: RunVariables,
): Promise<Opened> {
  const values = await Promise.all(
    secrets.map(async ({ sealed, name, revision }) =>
      sealed === null ? null : openSecret(key.keys, { account_id, project_id, name, revision }, sealed),
    ),
  );
  const closed = secrets.filter((_, at) => values[at] === null);
  if (closed.length > 0) {
    const message = `this server cannot open the secrets ${namesOf(closed)}, because they are sealed for another key. Enter them again.`;
    return { ok: false, message };
  }
  const open = secrets.map(({ name, build }, at) => ({ name, build, value: values[at] ?? "" }));
  const forCommands = open.filter(({ name }) => !isAccessToken(name));
  const valueOf = (token: string) => open.find(({ name }) => name === token)?.value ?? null;
  const registryToken = valueOf(REGISTRY_TOKEN);
  const environmentOf = (variables: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries([...plain, ...variables].map(({ name, value }) => [name, value]));
  return {
    ok: true,
    value: {
      build: environmentOf(forCommands.filter(({ build }) => build)),
      activate: environmentOf(forCommands),
      repositoryToken: valueOf(REPOSITORY_TOKEN),
      registryToken,
      secretValues: [...open.map(({ value }) => value), ...loginValues(registryToken)],
    },
  };
}

function namesOf(secrets: readonly { readonly name: string }[]): string {
  return secrets.map(({ name }) => name).join(", ");
}
