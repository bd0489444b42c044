import { afterAll, beforeAll, expect, it } from "vitest";

import { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { Freeze, FreezeRows } from "#contract/endpoints/freezes/schemas.ts";
import { Enrollment, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { useGantry } from "../../openapi/support/gantry.ts";
import { networkTo } from "../../openapi/support/running-agent.ts";
import { enrol } from "../../support/connected-agent/agent-socket.ts";
import { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { createApi } from "../../support/journey-api.ts";
import { SHA } from "../../support/model/model-agent.ts";
import { createCli, jsonOf } from "../../cli/support/command.ts";

const cli = createCli();
let env: NodeJS.ProcessEnv;
/** Resolves commits, and takes no deployment. */
let agent: ConnectedAgent;

beforeAll(async () => {
  const gantry = await useGantry();
  env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token, GANTRY_PROJECT: "shop" };
  const { stdout } = await run("servers", "add", "web-1", "192.0.2.1", "--json");
  const { id } = ServerCreated.parse(jsonOf(stdout));
  const enrollment = await createApi(gantry.url, gantry.token).call("POST", `/v1/servers/${id}/enrollment`);
  const network = networkTo(gantry.url);
  const identity = await enrol(network, Enrollment.parse(enrollment.json).token, "web-1");
  agent = new ConnectedAgent(network, identity);
  await agent.connect();
  await run("projects", "create", "shop", "--server", id, "--repository", "https://git.test/a.git");
});

afterAll(() => agent.cut());

const run = async (...args: string[]) => {
  const ended = await cli.run(args, { env });
  expect(ended).toMatchObject({ code: 0 });
  return ended;
};

it("stops following a deployment that is held, and approves it", async () => {
  await run("projects", "set", "--approval", "required");
  const followed = await cli.run(["deploy", "--follow"], { env });
  expect(followed.code).toBe(6);
  expect(followed.stderr).toContain(
    "v1 will wait for an approval. To approve it: gantry approve v1. In an emergency: gantry deploy --emergency REASON.",
  );
  expect(followed.stdout).toContain("Waiting for an approval");
  expect(followed.stderr).toContain("v1 is waiting for an approval");
  expect(followed.stderr).toContain("logs -f");
  expect((await run("deployments", "show", "v1")).stdout).not.toMatch(/^took/m);
  const behind = await cli.run(["deploy", "--follow"], { env });
  expect(behind.code).toBe(6);
  const unseen = await cli.run(["approve"], { env });
  expect(unseen).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass --yes") });
  const other = await cli.run(["approve", "--commit", "f".repeat(40)], { env });
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining(SHA) });
  const typed = cli.inTerminal(["approve"], { env });
  await typed.printed("stdout", `: main at ${SHA} "Change the title"? [y/N]`);
  typed.type("n\n");
  expect((await typed.ended).code).toBe(130);
  const forgeable = await cli.run(["approve", "--commit", SHA.slice(0, 12)], { env });
  expect(forgeable).toMatchObject({ code: 2, stderr: expect.stringContaining("the full commit hash") });
  const approved = await run("approve", "--commit", SHA, "--json");
  expect(Deployment.parse(jsonOf(approved.stdout))).toMatchObject({
    version: 1,
    approved_by: { type: "token" },
  });
  const again = await run("approve", "v1", "--yes");
  expect(again.stderr).toContain("It starts as soon as its server takes it.");
  expect(again.stderr).not.toContain("not connected");
  agent.tip = null;
  await run("deploy");
  const unknown = await cli.run(["approve", "v3", "--yes"], { env });
  expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining("is not known yet") });
  await run("cancel", "v3");
  await run("projects", "set", "--approval", "none");
});

it("starts a deployment that passes an approval in an emergency, and shows the reason", async () => {
  await run("projects", "set", "--approval", "required");
  const urgent = await run("deploy", "--emergency", "Checkout is down");
  expect(urgent.stderr).not.toContain("will wait");
  expect((await run("deployments", "show", "v4")).stdout).toMatch(/^emergency\tCheckout is down$/m);
  expect((await run("logs", "v4")).stdout).toContain("passes freezes and approvals: Checkout is down");
  const listed = await cli.inTerminal(["deployments"], { env: { ...env, NO_COLOR: "1" } }).ended;
  expect(listed.stdout).toMatch(/v4 +emergency/);
  const noReason = await cli.run(["deploy", "--emergency", " "], { env });
  expect(noReason).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("why the deployment cannot wait"),
  });
  await run("cancel", "v4");
  await run("projects", "set", "--approval", "none");
});

it("creates, lists and deletes freezes", async () => {
  const weekly = ["--day", "friday", "--day", "saturday", "--from", "16:00", "--to", "00:00"];
  const made = await run("freezes", "create", "Weekend", ...weekly, "--timezone", "Europe/Berlin", "--json");
  expect(Freeze.parse(jsonOf(made.stdout))).toMatchObject({ project_id: null, times: { type: "weekly" } });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await run("projects", "create", "docs", "--server", "web-1", "--repository", "https://git.test/d.git");
  await run("freezes", "create", "docs week", "--to", tomorrow, "--project", "docs");
  const once = await run("freezes", "create", "launch", "--to", tomorrow, "--project", "shop");
  expect(once.stdout).toContain("It holds now.");
  const held = await cli.run(["deploy", "--follow", "-p", "docs"], { env });
  expect(held).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("for the end of the freeze docs week"),
  });
  expect(held.stderr).toContain(`v1 will wait for the end of the freeze docs week, ${tomorrow}.`);
  expect((await run("deployments", "show", "-p", "docs")).stdout).toContain("freeze docs week");
  await run("freezes", "delete", "docs week", "--yes");
  const { freezes } = FreezeRows.parse({
    ...Object(jsonOf((await run("freezes", "--json")).stdout)),
    next_cursor: null,
  });
  expect(freezes.map(({ name, active }) => [name, active])).toContainEqual(["launch", true]);
  const { stdout: listed } = await run("freezes");
  expect(listed).toContain("friday, saturday 16:00–00:00 Europe/Berlin");
  expect(listed).toMatch(/^Weekend\tall projects\t/m);
  expect(listed).toMatch(/^launch\tshop\t/m);
  await run("freezes", "delete", "launch", "--yes");
  await run("freezes", "delete", "Weekend", "--yes");
  expect((await run("freezes")).stdout).toBe("");
});

it("creates a freeze that holds now on a machine whose clock is ahead", async () => {
  const ahead = "const now = Date.now; Date.now = () => now() + 600_000";
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(ahead)}`;
  const to = new Date(Date.now() + 86_400_000).toISOString();
  const made = await cli.run(["freezes", "create", "now", "--to", to], { env: { ...env, NODE_OPTIONS } });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("It holds now.") });
  await run("freezes", "delete", "now", "--yes");
});

it("refuses times that it cannot read", async () => {
  for (const args of [
    ["--from", "16:00"],
    ["--to", "Friday"],
    ["--day", "friday", "--to", "00:00"],
  ]) {
    const { code } = await cli.run(["freezes", "create", "x", ...args], { env });
    expect(code).toBe(2);
  }
});

it("says that another person must approve a deployment", async () => {
  await run("projects", "set", "--approval", "by_another");
  const { stderr } = await run("deploy");
  expect(stderr).toMatch(/ will wait for .*\. Another person must approve it: gantry approve v\d+\. /);
});
