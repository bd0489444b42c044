import { beforeAll, expect, it, onTestFinished } from "vitest";

import { Event } from "#contract/endpoints/events/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { useGantry } from "../../openapi/support/gantry.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { createCli, jsonOf } from "../../cli/support/command.ts";

const cli = createCli();
let env: NodeJS.ProcessEnv;
let proxy: TcpProxy;

beforeAll(async () => {
  const gantry = await useGantry();
  proxy = new TcpProxy(Number(new URL(gantry.url).port));
  env = { GANTRY_URL: await proxy.listen(), GANTRY_TOKEN: gantry.token };
  const added = await run("servers", "add", "web-1", "192.0.2.1", "--json");
  const { id } = ServerCreated.parse(jsonOf(added.stdout));
  for (const name of ["shop", "blog"])
    await run("projects", "create", name, "--server", id, "--repository", "https://git.test/a.git");
  await run("deploy", "--project", "shop");
  return () => proxy.close();
});

const run = async (...args: string[]) => {
  const ended = await cli.run(args, { env });
  expect(ended).toMatchObject({ code: 0 });
  return ended;
};

it("lists what has changed, newest first, by type and by project", async () => {
  const { stdout } = await run("events", "--type", "deployment.*", "--project", "shop");
  const [time = "", type, about, by] = stdout.trim().split("\t");
  expect(new Date(time).toISOString()).toBe(time);
  expect([type, about]).toEqual(["deployment.started", "shop v1 main"]);
  expect(by?.length).toBeGreaterThan(0);
  expect((await run("events", "--type", "deployment.*", "--project", "blog")).stdout).toBe("");
});

it("refuses a type that does not exist", async () => {
  const { code, stderr } = await cli.run(["events", "--type", "server.*,deployments"], { env });
  expect(code).toBe(2);
  expect(stderr).toContain("There is no type of event deployments.");
});

it("follows events, also after the connection was lost, and prints each once", async () => {
  const followed = cli.start(["events", "--follow", "--type", "deployment.started", "--json"], { env });
  onTestFinished(() => void followed.child.kill());
  await followed.printed("stdout", '"version":1');
  proxy.cut();
  await run("deploy", "--project", "blog");
  await followed.printed("stdout", '"name":"blog"');
  await run("deploy", "--project", "shop");
  await followed.printed("stdout", '"version":2');
  followed.child.kill("SIGINT");
  const { stdout } = await followed.ended;
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => Event.safeParse(jsonOf(line)))
    .flatMap(({ data }) => (data !== undefined && "deployment" in data.data ? [data.data] : []));
  expect(events.map(({ project, deployment }) => `${project.name} ${deployment.version}`)).toEqual([
    "shop 1",
    "blog 1",
    "shop 2",
  ]);
});

it("lists the audit log, and verifies its seals", async () => {
  const { stdout } = await run("audit", "--project", "shop", "--action", "startDeployment", "-n", "1");
  expect(stdout.trim().split("\t").slice(3, 5)).toEqual(["startDeployment", "done"]);
  expect((await run("audit", "verify")).stdout).toMatch(
    /^\d+ entries match the chain of seals; \d+ are not sealed yet\.\n/,
  );
  const verifyFrom = (seal: string) => cli.run(["audit", "verify", "--from", seal], { env });
  expect(await verifyFrom(`999999:${"0".repeat(64)}`)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("Seal 999999, which you know, is missing."),
  });
  expect(await verifyFrom("212")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("NUMBER:HASH"),
  });
});
