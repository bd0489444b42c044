import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { missingPermission } from "#contract/may-call.ts";
import { ExtraScope } from "#contract/roles.ts";
import { type Grant, type MemberRights, permissionsOfMember } from "#domain/members/member-permissions.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { recordSignedIn } from "../../support/worker/record-people.ts";
import { share } from "../../support/worker/storage.ts";
import {
  isForPerson,
  missing,
  operationNames,
  perform,
  requests,
  type World,
} from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const byToken = operationNames.filter((name) => endpoints[name].access.by === "token");

const grant = (
  role: Grant["role"],
  projectIds: Grant["projectIds"] = null,
  extra: Grant["extra"] = [],
): Grant => ({ role, projectIds, extra });

const member = (...grants: readonly Grant[]): MemberRights => ({ isOwner: false, grants });

/** What each kind of member may do. @param own a project */
const kinds: Readonly<Record<string, (own: ProjectId) => MemberRights>> = {
  viewer: () => member(grant("viewer")),
  "viewer of one project": (own) => member(grant("viewer", [own])),
  deployer: () => member(grant("deployer")),
  ...Object.fromEntries(
    ExtraScope.options.flatMap((scope) => [
      [`viewer with ${scope}`, () => member(grant("viewer", null, [scope]))],
      [`deployer with ${scope}`, () => member(grant("deployer", null, [scope]))],
    ]),
  ),
  "admin of the account": () => member(grant("admin")),
  "admin of one project": (own) => member(grant("admin", [own])),
  "viewer of the account and deployer of one project": (own) =>
    member(grant("viewer"), grant("deployer", [own])),
  "viewer of the account and admin of one project": (own) => member(grant("viewer"), grant("admin", [own])),
  owner: () => ({ isOwner: true, grants: [] }),
};

/** Every endpoint refuses it after the sender was authenticated, so the request of an allowed sender changes nothing. */
const UNKNOWN = "?unknown=1";

async function refusalOf(name: OperationName, world: World, token: string): Promise<string | null> {
  const { path, body } = requests[name](world);
  const response = await call(path + UNKNOWN, { method: endpoints[name].method, token, body });
  const { code, errors } = await problemOf(response);
  if (response.status !== 422) return code;
  expect(errors).toMatchObject([{ pointer: "?unknown" }]);
  return null;
}

/** The refusals of operations, by name. */
async function refusals(refusal: (name: OperationName) => Promise<string | null> | string | null) {
  const found: Record<string, string> = {};
  for (const name of byToken) {
    const code = await refusal(name);
    if (code !== null) found[name] = code;
  }
  return found;
}

describe("a member", () => {
  const world = share(copyWorld);

  const expected = (rights: MemberRights, isSession: boolean) => (name: OperationName) => {
    if (isForPerson(name) && !isSession) return "person_required";
    const lack = missingPermission(endpoints[name].access, permissionsOfMember(rights));
    return lack === null ? null : "insufficient_scope";
  };

  it.each(Object.entries(kinds))("who is %s may call what the table says", async (name, rightsIn) => {
    const { account, projectId } = world();
    const rights = rightsIn(projectId);
    const { id, token } = await recordSignedIn(account.id, { name, ...rights });
    const personal = await createToken(account.id, { memberId: id });
    const bySession = await refusals(async (operation) => await refusalOf(operation, world(), token));
    expect(bySession).toEqual(await refusals(expected(rights, true)));
    const byPersonal = await refusals(
      async (operation) => await refusalOf(operation, world(), personal.secret),
    );
    expect(byPersonal).toEqual(await refusals(expected(rights, false)));
    expect(Object.keys(byPersonal).length).toBeGreaterThan(0);
  });

  it("may call more, the more the role includes", () => {
    const own = ids.project();
    const allowed = (kind: string) => {
      const rights = kinds[kind]?.(own) ?? member();
      return new Set(byToken.filter((name) => expected(rights, true)(name) === null));
    };
    const order = ["viewer of one project", "viewer", "deployer", "admin of the account", "owner"];
    for (const [at, kind] of order.slice(1).entries())
      expect([...allowed(kind)]).toEqual(expect.arrayContaining([...allowed(order[at] ?? "")]));
    expect(allowed("owner")).toEqual(new Set(byToken));
  });

  it("who was removed is refused by every endpoint, although the tokens are not revoked", async () => {
    const { account } = world();
    const { id, token } = await recordSignedIn(account.id, { name: "Eve", isOwner: true, grants: [] });
    const { secret } = await createToken(account.id, { memberId: id });
    await env.DB.prepare("DELETE FROM members WHERE id = ?").bind(id).run();
    for (const sent of [token, secret]) {
      const found = await refusals(async (name) => await refusalOf(name, world(), sent));
      expect(found).toEqual(await refusals(() => "invalid_token"));
    }
  });
});

describe("a member who sees the account and acts in one project", () => {
  const world = share(copyWorld);

  /** The changes of something in a project. The others need the whole account, or are about nothing that exists. */
  const inProjects = byToken.filter((name) => {
    const { access, method, path } = endpoints[name];
    const isOfProjects = access.by === "token" && access.reach === "projects" && access.scope !== null;
    return (
      isOfProjects && method !== "GET" && (path.includes("_id") || name === "deploy" || name === "rollBack")
    );
  });

  it.each(inProjects)("is refused %s outside of it, as if that did not exist", async (name) => {
    const { account, projectId, serverId } = world();
    const rights = member(grant("viewer"), grant("admin", [ids.project()]));
    const { token } = await recordSignedIn(account.id, { name: "Grace", ...rights });
    expect((await call(`/v1/projects/${projectId}`, { token })).status).toBe(200);
    const other = await problemOf(await perform(name, world(), token));
    expect(other).toMatchObject({ status: 404, code: "not_found" });
    const none = await problemOf(await perform(name, { ...missing(world()), serverId }, token));
    expect(none.detail).toBe(other.detail);
  });
});
