import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { tokenHost } from "#contract/forge.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { splitLogin, userNameOf } from "#domain/repository-login.ts";
import type { Context } from "#worker/context.ts";
import type { NewRevision } from "#worker/db/variables/revision-writes.ts";
import { findServersToSealFor, withBuilder } from "#worker/db/variables/sealing-servers.ts";
import {
  findCurrentVariables,
  findVariablesHead,
  type VariablesHead,
} from "#worker/db/variables/variable-records.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { refuseServers } from "#worker/operations/projects/project-refusals.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { sealRepositoryToken } from "#worker/secrets/repository-token.ts";

/** What changes with a new address. `checked`: what was read to find that the address may have the project's token. */
export type NewAddress = {
  readonly address: string;
  readonly variables?: NewRevision;
  readonly checked?: VariablesHead;
};

/** The new address without its password, and the change of the variables that stores the password; null without an address. */
export async function newAddress(
  context: Context,
  id: ProjectId,
  input: UpdateProjectInput,
): Promise<
  Result<
    NewAddress | null,
    "not_found" | "insufficient_scope" | "invalid_request" | "no_seal_key" | "too_many"
  >
> {
  const { repository } = input;
  if (repository === undefined) return succeed(null);
  const login = splitLogin(repository);
  const address = login?.address ?? repository;
  // Only https addresses and repositories of images get the token.
  if (login === null ? tokenHost(repository) === null : login.token === null) return succeed({ address });
  const { latestRows: rows, account, clock, ids } = context;
  const head = await findVariablesHead(rows, id);
  if (head === null) return notFound("project");
  if (login === null || login.token === null) return await keepToken(context, id, repository, head);
  // Only the password was split from the stored address, so this long user name is not the token.
  if (login.isUserName && userNameOf(head.repository) === userNameOf(repository))
    return await keepToken(context, id, repository, head);
  const now = head.servers.map(({ serverId }) => serverId);
  const { build_on: builder = head.builder } = input;
  const members =
    input.servers?.map((server) => server.id) ??
    (input.server_id === undefined ? head.members : [input.server_id]);
  const next = withBuilder(members, builder);
  const isMove = next.length !== now.length || next.some((serverId) => !now.includes(serverId));
  if (isMove && rows.projectIds !== null) return refuseMove();
  const servers = isMove ? await findServersToSealFor(rows, next) : head.servers;
  if (servers === null) return await refuseServers(context, input);
  const current = await findCurrentVariables(rows, id);
  const sealed = await sealRepositoryToken(login.token, current, {
    accountId: account.id,
    projectId: id,
    revision: head.revision + 1,
    servers,
    changedAt: clock.now(),
    changedBy: actorOf(context),
    eventId: ids.event(),
  });
  return sealed.ok ? succeed({ address, variables: sealed.value }) : sealed;
}

/**
 * Refuses an address on another host while the project has a token, because that host would get it. Also after an
 * address that uses no token, such as an ssh address: the token belongs to the address before.
 */
async function keepToken(
  { latestRows: rows }: Context,
  id: ProjectId,
  repository: string,
  checked: VariablesHead,
): Promise<Result<NewAddress, "invalid_request">> {
  const kept = succeed({ address: repository, checked });
  const host = tokenHost(repository);
  const before = tokenHost(checked.repository);
  if (before === host) return kept;
  const current = await findCurrentVariables(rows, id);
  if (!current.some(({ name }) => name === REPOSITORY_TOKEN)) return kept;
  return refuse(
    "invalid_request",
    `The secret ${REPOSITORY_TOKEN} is for ${before ?? "an earlier address"}, and ${host} would get it. Send the new address with its password, or remove the secret first.`,
    [{ pointer: "/repository", message: "is on another host than the project's token" }],
  );
}

/** Refuses another server to a token that is limited to some projects. */
export function refuseMove() {
  return refuse(
    "insufficient_scope",
    "The token is limited to some projects, so it cannot move a project to another server: change neither server_id nor servers nor build_on.",
  );
}
