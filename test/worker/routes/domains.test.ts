import { describe, expect, it } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";

const alias = (domain: string, redirect = true) => ({ domain, redirect });
const taken = { status: 409, code: "domain_taken" };

const read = async (project: TestProject) =>
  Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());

describe("the host names of projects", () => {
  it("lead to one project each, whether as domain or as alias", async () => {
    const shop = await TestProject.create({ domain: "shop.test", aliases: [{ domain: "www.shop.test" }] });
    const blog = await TestProject.create({ domain: "blog.test" });
    expect((await read(shop)).aliases).toEqual([alias("www.shop.test")]);
    for (const change of [
      { domain: "www.shop.test" },
      { aliases: [alias("www.shop.test")] },
      { aliases: [alias("www.blog.test"), alias("shop.test", false)] },
    ])
      expect(await problemOf(await blog.patch(change))).toMatchObject(taken);
    expect(await read(blog)).toMatchObject({ domain: "blog.test", aliases: [] });
    const { server_id } = await read(blog);
    const body = { name: "other", server_id, repository: "/srv/git/other.git", domain: "www.shop.test" };
    expect(await problemOf(await blog.post("/v1/projects", body))).toMatchObject(taken);
  });

  it("can be used by another project after they are given up", async () => {
    const shop = await TestProject.create({ domain: "shop.test", aliases: [alias("www.shop.test", false)] });
    const blog = await TestProject.create({ domain: "blog.test" });
    expect((await shop.patch({ aliases: [alias("old.shop.test")] })).status).toBe(200);
    expect((await blog.patch({ aliases: [alias("www.shop.test")] })).status).toBe(200);
    expect((await shop.patch({ domain: "new.shop.test" })).status).toBe(200);
    expect((await blog.patch({ domain: "shop.test" })).status).toBe(200);
    expect((await shop.remove()).status).toBe(204);
    expect((await blog.patch({ domain: "new.shop.test", aliases: [alias("old.shop.test")] })).status).toBe(
      200,
    );
  });

  it("can change places within a project", async () => {
    const shop = await TestProject.create({ domain: "shop.test", aliases: [alias("www.shop.test")] });
    const swapped = { domain: "www.shop.test", aliases: [alias("shop.test")] };
    expect((await shop.patch(swapped)).status).toBe(200);
    expect((await shop.patch({ ...swapped, branch: "next" })).status).toBe(200);
    expect(await read(shop)).toMatchObject({ ...swapped, branch: "next" });
    expect(await problemOf(await shop.patch({ domain: "shop.test" }))).toMatchObject(taken);
  });

  it("are refused if a request names one twice", async () => {
    const shop = await TestProject.create({ domain: "shop.test" });
    const twice = await shop.patch({ domain: "a.test", aliases: [alias("b.test"), alias("a.test")] });
    expect(await problemOf(twice)).toMatchObject({
      status: 422,
      errors: [{ pointer: "/aliases/1/domain", message: "is named twice" }],
    });
  });

  it("are part of a deployment's order", async () => {
    const shop = await TestProject.connected({ aliases: [alias("www.shop.test")], drain_seconds: 5 });
    const { order } = await shop.deploy();
    expect(order).toMatchObject({ aliases: [alias("www.shop.test")], drain_seconds: 5, processes: {} });
  });
});
