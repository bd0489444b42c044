import type { Variable, VariableRevision, Variables } from "#contract/endpoints/variables/schemas.ts";
import type { AccountId, ProjectId } from "#contract/ids.ts";
import { sealedFor, serversWithoutBox } from "#domain/sealed-secret.ts";
import type {
  RevisionReading,
  VariableReading,
  VariablesHead,
} from "#worker/db/variables/variable-records.ts";
import { timestamp } from "#worker/views/timestamp.ts";

type Owner = { readonly accountId: AccountId; readonly projectId: ProjectId };

/** A project's variables. The values of secrets are not part of it, not even sealed. */
export function variablesView(
  { accountId, projectId }: Owner,
  { serverId, revision, servers }: VariablesHead,
  readings: readonly VariableReading[],
): Variables {
  const variables = readings.map(variableView);
  return {
    account_id: accountId,
    project_id: projectId,
    server_id: serverId,
    revision,
    variables,
    seal_key: servers[0]?.sealKey ?? null,
    servers: servers.map((server) => ({ server_id: server.serverId, seal_key: server.sealKey })),
    not_sealed: variables.flatMap((one) =>
      one.secret && serversWithoutBox(one.sealed_for, servers).length > 0 ? [one.name] : [],
    ),
  };
}

function variableView(reading: VariableReading): Variable {
  const { name, revision, build, changedAt, changedBy } = reading;
  const shared = { name, revision, changed_at: timestamp(changedAt), changed_by: changedBy };
  if (!reading.secret) return { ...shared, secret: false, value: reading.value ?? "" };
  return { ...shared, secret: true, build, sealed_for: sealedFor(reading.sealed ?? []) };
}

/** A change of a project's variables. */
export function revisionView({
  revision,
  changedAt,
  changedBy,
  setNames,
  removedNames,
}: RevisionReading): VariableRevision {
  return {
    revision,
    changed_at: timestamp(changedAt),
    changed_by: changedBy,
    set: setNames,
    removed: removedNames,
  };
}
