import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createCli } from "./support/command.ts";
import { createServerWithKey } from "./support/server-with-key.ts";

const cli = createCli();
let gantry: Gantry;

/** What the fake forge has received. */
const received: { path: string; body: unknown }[] = [];
let status = 201;
const forge = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ path: request.url ?? "", body: JSON.parse(body) });
    response.writeHead(status).end();
  });
});

/** A stand-in for `gh`, `glab` and `tea`: sends its standard input to the fake forge, as `api` does. */
const PROGRAM = `#!/usr/bin/env node
import { text } from "node:stream/consumers";
const body = await text(process.stdin);
const response = await fetch(process.env.FORGE_URL + "/" + process.argv.slice(2).join(" "), { method: "POST", body });
if (!response.ok) { console.error("HTTP " + response.status + ": Not Found"); process.exit(1); }
`;

const folder = () => join(cli.home, "programs");

beforeAll(async () => {
  gantry = await useGantry();
  await once(forge.listen(0, "127.0.0.1"), "listening");
  await mkdir(folder(), { recursive: true });
  await writeFile(join(folder(), "package.json"), '{ "type": "module" }');
  for (const name of ["gh", "glab", "tea"]) {
    await writeFile(join(folder(), name), PROGRAM);
    await chmod(join(folder(), name), 0o755);
  }
});
afterAll(() => forge.close());
beforeEach(() => {
  received.length = 0;
  status = 201;
});

function run(args: readonly string[], path = `${folder()}:${process.env["PATH"] ?? ""}`) {
  const address = forge.address();
  if (address === null || typeof address === "string") throw new Error("the forge does not listen");
  const env = {
    GANTRY_URL: gantry.url,
    GANTRY_TOKEN: gantry.token,
    PATH: path,
    FORGE_URL: `http://127.0.0.1:${address.port}`,
  };
  return cli.run(args, { env });
}

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

it("creates, lists, shows, rotates and deletes a hook", async () => {
  const repository = "https://git.example.com/acme/listed.git";
  const { stdout } = await run(["hooks", "create", repository, "--host", "gitea", "--json"]);
  const { id, secret } = HookWithSecret.parse(JSON.parse(stdout));
  expect((await run(["hooks"])).stdout).toContain(`${repository}\tgitea\t0\tnothing delivered yet\t${id}`);
  const shown = await run(["hooks", "show", "git@git.example.com:acme/listed"]);
  expect(shown.stdout).toContain(`id\t${id}\n`);
  expect(shown.stdout).not.toContain(secret);
  const server = await createServerWithKey(gantry, "listed", repository);
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
