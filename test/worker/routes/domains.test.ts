import { describe, expect, it } from "vitest";

import { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";

const alias = (domain: string, redirect = true) => ({ domain, redirect });
/** Of the server of a `TestProject`. */
const SERVER_IP = "192.0.2.10";
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

describe("the check of a project's host names", () => {
  it("says for the domain and each alias whether it leads to the server in the settings", async () => {
    const shop = await TestProject.create({ domain: "shop.test", aliases: [alias("www.shop.test")] });
    await shop.agent.connect({ deployKeys: [] });
    await shop.agent.receives("welcome");
    const checking = shop.get(`/v1/projects/${shop.id}/domains`);
    const { request_id, project_id, domains } = await shop.agent.receives("check_domains");
    expect(domains).toEqual(["shop.test", "www.shop.test"]);
    shop.agent.answer({
      ...({ type: "domains_checked", request_id, project_id } as const),
      domains: [
        {
          ...({ domain: "shop.test", lookup: "answered", certificate: "valid" } as const),
          addresses: [{ address: SERVER_IP, is_server: false }],
        },
        { domain: "www.shop.test", lookup: "answered", addresses: [], certificate: null },
      ],
    });
    const checks = DomainChecks.parse(await (await checking).json());
    expect(checks).toMatchObject({
      server_ip: SERVER_IP,
      domains: [
        { domain: "shop.test", state: "here", certificate: "valid", record: null },
        {
          ...{ domain: "www.shop.test", state: "no_address" },
          record: { name: "www.shop.test", type: "A", value: SERVER_IP },
        },
      ],
    });
  });

  it("is refused while the server is not connected", async () => {
    const shop = await TestProject.create();
    expect(await problemOf(await shop.get(`/v1/projects/${shop.id}/domains`))).toMatchObject({
      status: 409,
      code: "server_offline",
    });
  });
});
