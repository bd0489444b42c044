import { describe, expect, it } from "vitest";
import {
  delivered,
  giteaBody,
  repositoriesAreRead,
  SHA_AFTER,
  SHA_BEFORE,
} from "../../../support/worker/deliveries.ts";
import { deploymentsOf, hooked, ofHook, repository } from "../../../support/worker/hooked.ts";

describe("a push to the project's branch", () => {
  it("is deployed again if the branch has moved away and back, also if its body is the same", async () => {
    const { project, hook } = await hooked();
    const there = giteaBody({ before: SHA_BEFORE, after: SHA_AFTER });
    const back = giteaBody({ before: SHA_AFTER, after: SHA_BEFORE });
    const decisions: string[] = [];
    for (const body of [there, back, there, there, back, back])
      decisions.push((await delivered(hook, body)).decision);
    const twice = ["deployed", "ignored"];
    expect(decisions).toEqual(["deployed", "deployed", ...twice, ...twice]);
    expect(await deploymentsOf(project)).toHaveLength(4);
  });

  it("is deployed once if an older push arrives after it, and both are delivered again", async () => {
    const { project, hook } = await hooked();
    const older = giteaBody({ before: "0".repeat(40), after: SHA_BEFORE });
    const newer = giteaBody({ before: SHA_BEFORE, after: SHA_AFTER });
    for (const body of [newer, older, newer, older]) await delivered(hook, body);
    expect(await deploymentsOf(project)).toHaveLength(2);
  });
});

describe("several projects of a repository", () => {
  it("take as few statements as one", async () => {
    const { project, hook } = await hooked();
    for (let count = 2; count <= 30; count += 1)
      await project.post("/v1/projects", {
        name: `shop-${count}`,
        server_id: project.agent.serverId,
        repository,
      });
    await repositoriesAreRead();
    const answer = await delivered(hook);
    expect(answer.deployments).toHaveLength(30);
    expect(new Set(answer.deployments.map(({ id }) => id)).size).toBe(30);
    expect(await ofHook(project, hook)).toHaveLength(30);
  });
});
