import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { createToken } from "../../../support/worker/account.ts";
import { call, problemOf } from "../../../support/worker/call.ts";
import { enrolAgent } from "../../../support/worker/enrol-agent.ts";
import { aroundCalls } from "../../../support/worker/intercept.ts";
import { connectWithKeys, TestProject } from "../../../support/worker/project.ts";
import { databasePrototypes } from "../../../support/worker/statements.ts";
import { openSecrets, type ServerKeys } from "../../../support/seal-keys.ts";

const TOKEN = "GANTRY_REPOSITORY_TOKEN";

async function storedRepository(id: string): Promise<unknown> {
  return await env.DB.prepare("SELECT repository FROM projects WHERE id = ?").bind(id).first("repository");
}

/** The address and the secrets that the next order of a project has. */
async function nextOrder(project: TestProject, keys: ServerKeys) {
  const { id } = await project.start();
  const order = await project.agent.orderOf(id);
  return { address: order.source.repository, ...(await openSecrets(order, keys)) };
}

describe("a password in a repository's address", () => {
  it("does not let a token that is limited to the project move it", async () => {
    const { project } = await TestProject.withKeys();
    const { account_id, revision } = await project.variables();
    const target = await enrolAgent(project.token, "web-2");
    await connectWithKeys(target, project.token);
    const limited = await createToken(account_id, { projectIds: [project.id] });
    const body = { repository: "https://me:s3cret@git.test/a.git", server_id: target.serverId };
    const moved = await call(`/v1/projects/${project.id}`, { method: "PATCH", token: limited.secret, body });
    expect(moved.status).toBe(403);
    expect(await project.variables()).toMatchObject({ revision, server_id: project.agent.serverId });
    const stays = { ...body, server_id: project.agent.serverId };
    const changed = await call(`/v1/projects/${project.id}`, {
      method: "PATCH",
      token: limited.secret,
      body: stays,
    });
    expect(changed.status).toBe(200);
    expect((await project.variables()).revision).toBe(revision + 1);
  });

  it("does not turn a long user name into a token when only the rest of the address changes", async () => {
    const user = "a-long-user-name-0123";
    const { project, keys } = await TestProject.withKeys({ repository: `https://${user}:s3cret@git.test/a` });
    await project.patch({ repository: `https://${user}@git.test/b` });
    const address = `https://${user}@git.test/b`;
    expect(await nextOrder(project, keys)).toEqual({ address, [TOKEN]: "s3cret" });
  });

  it("is not sent to another host: a changed address needs its own password", async () => {
    const { project, keys } = await TestProject.withKeys({
      repository: "https://me:s3cr3t@git.test/shop.git",
    });
    const other = "https://me@Other.test/shop.git";
    const refused = await problemOf(await project.patch({ repository: other }));
    expect(refused).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/repository" }] });
    expect(refused.detail).toContain("git.test");
    expect(await storedRepository(project.id)).toBe("https://me@git.test/shop.git");

    expect((await project.patch({ repository: "https://me@GIT.test/blog.git" })).status).toBe(200);
    expect((await project.patch({ repository: "https://me:0ther@Other.test/shop.git" })).status).toBe(200);
    const address = "https://me@other.test/shop.git";
    expect(await nextOrder(project, keys)).toEqual({ address, [TOKEN]: "0ther" });
  });

  it("is not sent to another host if it is set while the address changes", async () => {
    const { project } = await TestProject.withKeys({ repository: "https://me@git.test/shop.git" });
    let isSet = false;
    // The change of the settings is the first batch that writes: earlier reads are from before the token.
    for (const database of databasePrototypes())
      aroundCalls(database, "batch", async (run, [statements]) => {
        if (!isSet && Array.isArray(statements) && statements.length > 2) {
          isSet = true;
          await project.set({ name: TOKEN, value: "s3cr3t", secret: true });
        }
        return await run();
      });
    const change = { repository: "https://me@other.test/shop.git" };
    const refused = await problemOf(await project.patch(change));
    expect(refused).toMatchObject({ status: 409, code: "revision_conflict" });
    expect(isSet).toBe(true);
    expect(await storedRepository(project.id)).toBe("https://me@git.test/shop.git");
    expect(await problemOf(await project.patch(change))).toMatchObject({ code: "invalid_request" });
  });

  it("is not sent to an earlier host by a rollback that waited while the address changed", async () => {
    const { project, keys } = await TestProject.withKeys({ repository: "https://me:0ne@git.test/shop.git" });
    await project.deploy();
    await project.deploy();
    const { id: running } = await project.start();
    const { id } = await project.rollBack({ variables: "deployed" });
    expect((await project.patch({ repository: "https://me:tw0@other.test/shop.git" })).status).toBe(200);
    await project.agent.completes(await project.agent.orderOf(running));
    const order = await project.agent.orderOf(id);
    expect(order.source.repository).toBe("https://me@git.test/shop.git");
    expect(await openSecrets(order, keys)).toEqual({});
  });

  it("is not sent to an earlier host by a rollback with earlier settings, also if today's address uses none", async () => {
    const { project, keys } = await TestProject.withKeys({ repository: "https://me:0ne@git.test/shop.git" });
    await project.deploy();
    await project.patch({ repository: "https://me:tw0@other.test/shop.git" });
    await project.deploy();
    for (const repository of ["https://me@other.test/shop.git", "git@other.test:shop.git"]) {
      await project.patch({ repository });
      const { id } = await project.rollBack({ version: 1, settings: "deployed" });
      const order = await project.agent.orderOf(id);
      expect(order.source.repository).toBe("https://me@git.test/shop.git");
      expect(await openSecrets(order, keys)).toEqual({});
      await project.agent.completes(order);
      await project.reaches(id, "live");
      await project.deploy();
    }
  });

  it("is not sent to another host by way of an address that does not use it", async () => {
    const { project, keys } = await TestProject.withKeys({
      repository: "https://me:s3cr3t@git.test/shop.git",
    });
    const other = "https://me@other.test/shop.git";
    expect((await project.patch({ repository: "git@git.test:shop.git" })).status).toBe(200);
    const refused = await problemOf(await project.patch({ repository: other }));
    expect(refused).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/repository" }] });
    expect(await storedRepository(project.id)).toBe("git@git.test:shop.git");

    expect((await project.patch({ repository: "https://me:0ther@other.test/shop.git" })).status).toBe(200);
    expect(await nextOrder(project, keys)).toEqual({ address: other, [TOKEN]: "0ther" });
  });

  it("is not sent to another host with the same long user name", async () => {
    const user = "a-long-user-name-0123";
    const { project } = await TestProject.withKeys({ repository: `https://${user}:s3cret@git.test/a` });
    const refused = await problemOf(await project.patch({ repository: `https://${user}@other.test/a` }));
    expect(refused).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/repository" }] });
    expect(await storedRepository(project.id)).toBe(`https://${user}@git.test/a`);
  });

  it("is found again by a retry with the same Idempotency-Key, whose record cannot be guessed", async () => {
    const { project } = await TestProject.withKeys();
    const body = {
      name: "blog",
      server_id: project.agent.serverId,
      repository: "https://me:1234@git.test/b",
    };
    const headers = { "idempotency-key": "create-blog" };
    const first = await project.post("/v1/projects", body, headers);
    const again = await project.post("/v1/projects", body, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await first.json());
    const other = { ...body, repository: "https://me:5678@git.test/b" };
    expect(await problemOf(await project.post("/v1/projects", other, headers))).toMatchObject({
      code: "idempotency_mismatch",
    });
    const { id } = Project.parse(await (await project.post("/v1/projects", body, headers)).json());
    const { results } = await env.DB.prepare("SELECT revision FROM variables WHERE project_id = ?")
      .bind(id)
      .all();
    expect(results).toEqual([{ revision: 1 }]);
  });
});
