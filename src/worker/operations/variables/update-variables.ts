import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import {
  REPOSITORY_TOKEN,
  type UpdateVariablesInput,
  type Variables,
} from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { decideChanges } from "#domain/variable-changes.ts";
import type { Context } from "#worker/context.ts";
import {
  findCurrentVariables,
  findVariablesHead,
  type VariableReading,
} from "#worker/db/variables/variable-records.ts";
import {
  isRevisionConflict,
  type NewRevision,
  revisionWrites,
} from "#worker/db/variables/revision-writes.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestEntry } from "#worker/operations/changes/request-changes.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { watchChanged } from "#worker/operations/projects/watch-changed.ts";
import { sealVariables } from "#worker/secrets/seal-variables.ts";
import { variablesView } from "#worker/views/variables-view.ts";

type UpdateRefusal = "not_found" | "revision_conflict" | "no_seal_key" | "secrets_not_sealed" | "too_many";

/** How often a change without a `revision` is tried again after another change has taken its number. */
const MAX_TRIES = 10;

/**
 * Sets and removes variables as one revision, or creates no revision if nothing changes. Takes two D1 reads and a write,
 * which fails if another change has taken the revision: then a request without a `revision` starts again.
 */
export async function updateVariables(
  context: Context,
  projectId: ProjectId,
  input: UpdateVariablesInput,
): Promise<Result<Variables, UpdateRefusal>> {
  for (let tries = 1; ; tries += 1) {
    const result = await tryUpdate(context, projectId, input);
    if (result !== "taken") return result;
    if (input.revision !== undefined || tries === MAX_TRIES)
      return revisionConflict("Other requests changed the variables at the same time.");
  }
}

/** @returns `taken` if another change has taken the revision */
async function tryUpdate(
  context: Context,
  projectId: ProjectId,
  input: UpdateVariablesInput,
): Promise<Result<Variables, UpdateRefusal> | "taken"> {
  const { rows, latestRows, account, clock, ids } = context;
  const head = await findVariablesHead(latestRows, projectId);
  if (head === null) return notFound("project");
  if (input.revision !== undefined && input.revision !== head.revision)
    return revisionConflict(`The current revision is ${head.revision}, not ${input.revision}.`);
  const current = await findCurrentVariables(latestRows, projectId);
  const changes = decideChanges(current, input);
  if (!changes.ok) return changes;
  const owner = { accountId: account.id, projectId };
  const { set, removed } = changes.value;
  if (set.length + removed.length === 0) return succeed(variablesView(owner, head, current));
  const revision = head.revision + 1;
  const sealed = await sealVariables(set, { ...owner, revision, servers: head.servers });
  if (!sealed.ok) return sealed;
  const audit = requestEntry(context, {
    ...{ target: { type: "project", id: projectId, name: head.name }, projectId },
    changes: namesOf(set, removed),
  });
  const change = {
    ...{ projectId, revision, changedAt: clock.now(), changedBy: actorOf(context) },
    ...{ set: sealed.value, removed, eventId: ids.event(), audit },
  };
  try {
    const [added] = await rows.runTogether(revisionWrites(rows, change));
    if (added === 0) return notFound("project");
  } catch (error) {
    if (isRevisionConflict(error)) return "taken";
    throw error;
  }
  announceLater(context);
  if ([...removed, ...set.map(({ name }) => name)].includes(REPOSITORY_TOKEN))
    context.defer(watchChanged(context, head));
  return succeed(variablesView(owner, { ...head, revision }, afterChange(current, change)));
}

/** For the audit log: never a value, nor what it was. */
function namesOf(set: readonly { readonly name: string }[], removed: readonly string[]): AuditChanges {
  return {
    ...(set.length === 0 ? {} : { set: { before: null, after: set.map(({ name }) => name) } }),
    ...(removed.length === 0 ? {} : { removed: { before: removed, after: null } }),
  };
}

/** The variables after a change, sorted by name as D1 sorts them. */
function afterChange(before: readonly VariableReading[], change: NewRevision): VariableReading[] {
  const { revision, changedAt, changedBy, set, removed } = change;
  const replaced = new Set([...removed, ...set.map(({ name }) => name)]);
  const added = set.map((one) => ({
    revision,
    changedAt,
    changedBy,
    name: one.name,
    secret: one.secret,
    build: one.secret && one.build,
    value: one.secret ? null : one.value,
    sealed: one.secret ? one.sealed : null,
  }));
  const kept = before.filter(({ name }) => !replaced.has(name));
  return [...kept, ...added].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function revisionConflict(reason: string) {
  return refuse("revision_conflict", `${reason} Read the variables again, and send the request again.`);
}
