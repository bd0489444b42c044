import * as z from "zod/mini";

import { isAccessToken } from "#contract/endpoints/variables/schemas.ts";
import { wholeFrom } from "#contract/bounds.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";

/**
 * The variables that a deployment runs with: their revision. The values stay in the database. `deployed`: a rollback
 * with variables or settings of an earlier deployment; revision 0 if the earlier deployment had no variables. A
 * rollback gets today's tokens of registries and of the repository, unless the repository is on another host.
 */
export const DeploymentVariables = z.strictObject({ revision: wholeFrom(0), deployed: z.boolean() });
export type DeploymentVariables = z.infer<typeof DeploymentVariables>;

/**
 * A secret that a server of the project cannot open, from the revision that set it until before the revision that replaced
 * it. `servers`: the names of these servers; absent: not known.
 */
export const NotSealed = z.strictObject({
  name: z.string(),
  from: z.int(),
  until: z.nullable(z.int()),
  servers: z.optional(z.array(z.string())),
});
export type NotSealed = z.infer<typeof NotSealed>;

/**
 * A project's variables when a deployment is requested. `revision` 0: it never had any. `notSealed` contains earlier
 * values of secrets only for a rollback that asks for earlier variables.
 */
export type ProjectVariables = { readonly revision: number; readonly notSealed: readonly NotSealed[] };

type WithVariables = { readonly variables: DeploymentVariables | null };

/**
 * The project's current variables, for a new deployment. A request can reach the lane after a request that has read a
 * later revision. It gets that revision too, because an agent refuses secrets that are older than the secrets of an
 * earlier run.
 */
export function currentVariables(
  { revision, notSealed }: ProjectVariables,
  others: readonly WithVariables[],
): Result<DeploymentVariables | null, "secrets_not_sealed"> {
  const missing = notSealed.filter(({ until }) => until === null);
  if (missing.length > 0) return refuseNotSealed(missing);
  return succeed(newestVariables(revision, others));
}

/** As `currentVariables`, whether or not the server can open the secrets. */
export function newestVariables(
  revision: number,
  others: readonly WithVariables[],
): DeploymentVariables | null {
  const newest = others.reduce((most, one) => Math.max(most, one.variables?.revision ?? 0), revision);
  return newest === 0 ? null : { revision: newest, deployed: false };
}

/** The variables of the deployment that a rollback goes back to, with the current tokens of the repository and of registries. */
export function earlierVariables(
  { revision: current, notSealed }: ProjectVariables,
  target: WithVariables,
): Result<DeploymentVariables | null, "secrets_not_sealed"> {
  const revision = target.variables?.revision ?? 0;
  const counts = ({ name, from, until }: NotSealed) =>
    isAccessToken(name) ? until === null : from <= revision && (until === null || until > revision);
  const missing = notSealed.filter(counts);
  if (missing.length > 0) return refuseNotSealed(missing);
  return succeed(current === 0 && revision === 0 ? null : { revision, deployed: true });
}

function refuseNotSealed(missing: readonly NotSealed[]) {
  const names = missing.map(({ name }) => name).toSorted();
  const lists = missing.map(({ servers = [] }) => servers);
  const servers = [...new Set(lists.flat())].toSorted();
  const who = servers.length === 0 ? "A server of the project" : servers.join(", ");
  const which = lists.every((list) => list.length === servers.length) ? "these" : "all of these";
  return refuse(
    "secrets_not_sealed",
    `${who} cannot open ${which} secrets, because they were sealed for other keys: ${names.join(", ")}. Enter them again, or remove them.`,
  );
}
