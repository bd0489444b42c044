import { describe, expect, it } from "vitest";
import * as z from "zod";

import { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { createServerWithKey } from "./support/server-with-key.ts";
import { useForgePrograms } from "./support/use-forge-programs.ts";

const forge = useForgePrograms();
const { received, run } = forge;

const created = z.object({ url: z.string() });

describe("gantry hooks connect", () => {
  it.each([
    ["git@github.com:acme/shop.git", "gh", { events: ["push"] }, "repos/acme/shop/hooks"],
    [
      "https://gitlab.com/acme/team/shop.git",
      "glab",
      { push_events: true },
      "projects/acme%2Fteam%2Fshop/hooks",
    ],
    ["https://codeberg.org/acme/shop.git", "tea", { events: ["push"] }, "/repos/acme/shop/hooks"],
  ])("adds a hook of %s with the user's %s", async (repository, _program, body, path) => {
    const ended = await run(["hooks", "connect", repository, "--json"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const { url } = created.parse(JSON.parse(ended.stdout));
    expect(received).toMatchObject([{ path: expect.stringContaining(path), body }]);
    const sent = JSON.stringify(received[0]?.body);
    expect(sent).toContain(url);
    const secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(sent)?.[0] ?? "no secret was sent";
    // Only the forge gets it: other users of the machine can read the arguments of programs.
    expect(`${ended.stdout}${received[0]?.path}`).not.toContain(secret);
  });

  it("prints the steps for Bitbucket, and asks for the kind of an unknown host", async () => {
    const steps = await run(["hooks", "connect", "git@bitbucket.org:acme/shop.git"]);
    expect(steps.code).toBe(0);
    expect(steps.stderr).toContain("Add it at https://bitbucket.org/acme/shop/admin/webhooks:");
    expect(received).toEqual([]);
    const unknown = await run(["hooks", "connect", "https://git.example.com/acme/shop.git"]);
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Pass --host with one of github"),
    });
  });
});

it("prints the steps for a repository of images, whose kind of hook its address tells", async () => {
  const ended = await run(["hooks", "connect", "docker://images.example.com:5000/acme/shop"]);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining("Auth Header") });
  expect(ended.stdout).toContain("registry");
  const polled = await run(["hooks", "create", "docker://ghcr.io/acme/shop"]);
  expect(polled.stderr).toContain("turn on `poll` of the project's `deploy_on`");
});

it("creates, lists, shows, rotates and deletes a hook", async () => {
  const repository = "https://git.example.com/acme/listed.git";
  const { stdout } = await run(["hooks", "create", repository, "--host", "gitea", "--json"]);
  const { id, secret } = HookWithSecret.parse(JSON.parse(stdout));
  expect((await run(["hooks"])).stdout).toContain(`${repository}\tgitea\t0\tnothing delivered yet\t${id}`);
  const shown = await run(["hooks", "show", "git@git.example.com:acme/listed"]);
  expect(shown.stdout).toContain(`id\t${id}\n`);
  expect(shown.stdout).not.toContain(secret);
  const server = await createServerWithKey(forge.gantry, "listed", repository);
  expect((await run(["hooks", "rotate", repository])).stdout).toContain("projects\tlisted\n");
  server.stop();
  const rotated = HookWithSecret.parse(
    JSON.parse((await run(["hooks", "rotate", repository, "--json"])).stdout),
  );
  expect(rotated.secret).not.toBe(secret);
  expect(await run(["pushes", "--hook", repository])).toMatchObject({ code: 0, stdout: "" });
  expect((await run(["hooks", "delete", repository, "--yes"])).stdout).toContain("is deleted");
  expect((await run(["hooks", "show", repository])).stderr).toContain("There is no hook for");
  const withPassword = await run(["hooks", "show", "https://bob:12/s3cret@git.test/shop"]);
  expect(withPassword.stderr).toContain("There is no hook for https://***");
  expect(withPassword.stderr).not.toContain("s3cret");
});
