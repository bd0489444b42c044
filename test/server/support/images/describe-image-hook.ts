import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { HookWithSecret, PushRows } from "#contract/endpoints/hooks/schemas.ts";

import { eventually } from "../../../support/faults/eventually.ts";
import { REGISTRY_LOGIN } from "../image-registry.ts";
import { expectServed, type ImageWorld } from "./image-world.ts";

/** The configuration of docs/forges/registry.md, with the address and the secret of a hook. */
async function documentedConfiguration({ url, secret }: HookWithSecret): Promise<string> {
  const page = await readFile(new URL("../../../../docs/forges/registry.md", import.meta.url), "utf8");
  const text = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  const filled = text
    .replace("https://gantry.example.com/v1/hooks/hook_…/receive", url)
    .replace("whsec_…", secret);
  expect(filled).toContain(url);
  expect(filled).toContain(secret);
  return filled;
}

/** A registry that reports what is pushed to it. */
export function describeImageHook(world: () => ImageWorld): void {
  describe("A hook of a registry", () => {
    it("deploys an image when it is pushed, once", { timeout: 120_000 }, async () => {
      const { server, registry, project, push } = world();
      const { api } = server;
      const repository = `docker://${registry.host}/acme/shop`;
      const set = [{ name: "GANTRY_REPOSITORY_TOKEN", value: REGISTRY_LOGIN.password, secret: true }];
      await api.call("PATCH", `/v1/projects/${project.id}/variables`, { set });
      const hook = HookWithSecret.parse(
        (await api.call("POST", "/v1/hooks", { forge: "registry", repository })).json,
      );
      await registry.configure(await documentedConfiguration(hook));
      const before = await api.listDeployments(project.id);
      await push("acme/other:v1", "other");
      const digest = await push("acme/shop:v1", "pushed");
      await eventually("the pushed image is live", async () => {
        const [newest] = await api.listDeployments(project.id);
        return newest?.commit_sha === digest && newest.status === "live";
      });
      await expectServed(world(), "pushed");
      const after = await api.listDeployments(project.id);
      expect(after).toHaveLength(before.length + 1);
      expect(after[0]).toMatchObject({
        trigger: "push",
        actor: { type: "hook", name: `${REGISTRY_LOGIN.user}, Registry of images` },
      });
      const { pushes } = PushRows.parse((await api.call("GET", `/v1/hooks/${hook.id}/pushes`)).json);
      expect(pushes).toMatchObject([
        { decision: "deployed", ref: "refs/heads/v1", after: digest, count: 1 },
        {
          decision: "ignored",
          reason: "not_a_push",
          detail: "The delivery is about acme/other. This hook accepts acme/shop.",
          count: 1,
        },
      ]);
    });
  });
}
