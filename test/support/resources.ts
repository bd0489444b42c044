import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";

/** The endpoints of a kind of object that a token can create and delete. `update`: null: its objects cannot be changed. */
export type Resource = {
  readonly create: Endpoint;
  readonly remove: Endpoint;
  readonly update: Endpoint | null;
  readonly read: Endpoint | null;
};

const table = Object.values<Endpoint>(userEndpoints);
const isForTokens = ({ access }: Endpoint) => access.by === "token" && access.reach !== "person";

/** Every kind of object that a file can describe, by the path of its list. */
export const resources: ReadonlyMap<string, Resource> = new Map(
  table.filter(isForTokens).flatMap((remove) => {
    const list = remove.path.replace(/\/:\w+$/, "");
    const create = table.find(
      ({ method, path, success }) => method === "POST" && success.status === 201 && path === list,
    );
    if (remove.method !== "DELETE" || create === undefined || !isForTokens(create)) return [];
    // Something that happens, and no state.
    if (list.endsWith("/deployments")) return [];
    const at = (method: string) =>
      table.find((one) => one.method === method && one.path === remove.path) ?? null;
    return [[list, { create, remove, update: at("PATCH"), read: at("GET") }] as const];
  }),
);
