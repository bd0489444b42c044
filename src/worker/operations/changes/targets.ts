import type { AuditChanges, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { Server } from "#contract/endpoints/servers/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { TokenIdentity } from "#worker/db/tokens/find-token-holder.ts";
import type { RequestChange } from "#worker/operations/changes/request-changes.ts";

/** A change of a server, of which the request has read the record. */
export function serverChange(
  type: "server.created" | "server.updated" | "server.deleted",
  { id, name, status }: Pick<Server, "id" | "name" | "status">,
  changes: AuditChanges = {},
): RequestChange {
  const changed = Object.keys(changes);
  return {
    event: { type, data: { server: { id, name, status }, changed } },
    target: { type: "server", id, name },
    projectId: null,
    changes,
  };
}

/** A change of a token. */
export function tokenChange(
  type: "token.created" | "token.rotated" | "token.revoked",
  { id, name, scopes }: Pick<TokenIdentity, "id" | "name" | "scopes">,
): RequestChange {
  return {
    event: { type, data: { token: { id, name, scopes: [...scopes] } } },
    target: { type: "token", id, name },
    projectId: null,
  };
}

/** The settings whose values differ. Undefined: not changed. */
export function differences<Settings extends object>(
  before: Settings,
  after: { readonly [Name in keyof Settings]?: Settings[Name] | undefined },
): AuditChanges {
  const now = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, to]) => to !== undefined && JSON.stringify(to) !== JSON.stringify(now.get(name)),
  );
  return Object.fromEntries(changed.map(([name, to]) => [name, { before: now.get(name), after: to }]));
}

type Named<Id> = { readonly id: Id; readonly name: string };

/** A project as events and the audit log name it. */
export function namedProject({ id, name }: Named<ProjectId>): {
  readonly reference: Named<ProjectId>;
  readonly target: AuditTarget;
} {
  return { reference: { id, name }, target: { type: "project", id, name } };
}
