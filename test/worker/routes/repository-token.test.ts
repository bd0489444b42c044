import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import { openSecrets, type ServerKeys } from "../../support/seal-keys.ts";

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
  it.each([
    ["https://me:s3cr3t%21@git.test/shop.git", "https://me@git.test/shop.git", "s3cr3t!"],
    ["https://:s3cr3t@git.test/shop.git", "https://@git.test/shop.git", "s3cr3t"],
    [
      "https://ghp_0123456789abcdefghij@git.test/shop.git",
      "https://git.test/shop.git",
      "ghp_0123456789abcdefghij",
    ],
    [
      "https://ghp_0123456789abcdefghij:x-oauth-basic@git.test/shop.git",
      "https://git.test/shop.git",
      "ghp_0123456789abcdefghij",
    ],
    [
      "https://a-long-user-name-0123:s3cr3t@git.test/shop.git",
      "https://a-long-user-name-0123@git.test/shop.git",
      "s3cr3t",
    ],
  ])("of a new project, %s, is stored as a secret", async (repository, address, token) => {
    const { project, keys } = await TestProject.withKeys({ repository });
    expect(await storedRepository(project.id)).toBe(address);
    const { variables, revision } = await project.variables();
    expect({ variables, revision }).toMatchObject({
      revision: 1,
      variables: [{ name: TOKEN, secret: true, build: false, changed_by: { type: "token" } }],
    });
    expect(await nextOrder(project, keys)).toEqual({ address, [TOKEN]: token });
  });

  it("is refused while the server has no key, with what to do, and nothing is stored", async () => {
    const project = await TestProject.create();
    const body = {
      name: "blog",
      server_id: project.agent.serverId,
      repository: "https://me:s3cret@git.test/b",
    };
    const refused = await problemOf(await project.post("/v1/projects", body));
    expect(refused).toMatchObject({ status: 409, code: "no_seal_key" });
    expect(refused.detail).toMatch(/connected.*GANTRY_REPOSITORY_TOKEN/);
    const patched = await problemOf(await project.patch({ repository: body.repository }));
    expect(patched.code).toBe("no_seal_key");
    expect(JSON.stringify([refused, patched])).not.toContain("s3cret");
    expect(await env.DB.prepare("SELECT count(*) AS n FROM variables").first("n")).toBe(0);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM projects").first("n")).toBe(1);
    const nowhere = { ...body, server_id: "srv_00000000000000000000000000" };
    expect(await problemOf(await project.post("/v1/projects", nowhere))).toMatchObject({ status: 422 });
  });

  it("for ssh is dropped, because ssh cannot use it, also while the server has no key", async () => {
    const project = await TestProject.create({ repository: "ssh://git:s3cret@git.test/shop.git" });
    expect(await storedRepository(project.id)).toBe("ssh://git@git.test/shop.git");
    expect((await project.patch({ repository: "ssh://git:s3cret@git.test/b.git" })).status).toBe(200);
    expect(await storedRepository(project.id)).toBe("ssh://git@git.test/b.git");
    expect((await project.variables()).revision).toBe(0);
  });

  it("of a changed address replaces the token, with the change or not at all", async () => {
    const { project, keys } = await TestProject.withKeys({ repository: "https://me:first@git.test/a.git" });
    await project.set({ name: "URL", value: "1" });
    const changed = await project.patch({ repository: "https://me:second@git.test/b.git", branch: "next" });
    expect(Project.parse(await changed.json())).toMatchObject({ repository: "https://me@git.test/b.git" });
    const address = "https://me@git.test/b.git";
    expect(await nextOrder(project, keys)).toEqual({ address, [TOKEN]: "second" });
    const taken = { name: "taken", server_id: project.agent.serverId, repository: "/srv/git/taken.git" };
    await project.post("/v1/projects", taken);
    for (const refused of [{ name: "taken" }, { server_id: "srv_00000000000000000000000000" }]) {
      const body = { repository: "https://me:third@git.test/b.git", ...refused };
      expect((await project.patch(body)).status).toBeGreaterThanOrEqual(400);
    }
    const { variables, revision } = await project.variables();
    expect(revision).toBe(3);
    expect(variables.map(({ name }) => name)).toEqual([TOKEN, "URL"]);
  });

  it("is sealed for the new server if the same request moves the project", async () => {
    const { project } = await TestProject.withKeys();
    const target = await enrolAgent(project.token, "web-2");
    const keys = await connectWithKeys(target, project.token);
    const repository = "https://me:s3cret@git.test/a.git";
    expect((await project.patch({ repository, server_id: target.serverId })).status).toBe(200);
    expect((await project.variables()).not_sealed).toEqual([]);
    const order = await target.orderOf((await project.start()).id);
    expect(await openSecrets(order, keys)).toEqual({ [TOKEN]: "s3cret" });
  });
});
