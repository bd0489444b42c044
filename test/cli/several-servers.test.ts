import { stripVTControlCharacters } from "node:util";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { Enrollment, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { networkTo } from "../openapi/support/running-agent.ts";
import { enrol } from "../support/connected-agent/agent-socket.ts";
import { ConnectedAgent } from "../support/connected-agent/connected-agent.ts";
import { emptyReport, output } from "../support/connected-agent/events.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { SHA } from "../support/model/model-agent.ts";
import { type CallOptions, createCli, jsonOf } from "./support/command.ts";

const cli = createCli();
let gantry: Gantry;
let api: Api;
const agents: ConnectedAgent[] = [];

beforeAll(async () => {
  gantry = await useGantry();
  api = createApi(gantry.url, gantry.token);
  const network = networkTo(gantry.url);
  for (const name of ["web-1", "web-2", "web-3"]) {
    const { json } = await api.call("POST", "/v1/servers", { name, ip: "192.0.2.1" });
    const { id } = ServerCreated.parse(json);
    const enrollment = Enrollment.parse((await api.call("POST", `/v1/servers/${id}/enrollment`)).json);
    const agent = new ConnectedAgent(network, await enrol(network, enrollment.token, name));
    agent.answersRequests = true;
    await agent.connect();
    await agent.receives("welcome");
    agents.push(agent);
  }
});
afterAll(() => agents.forEach((agent) => agent.cut()));

const options = (project: string): CallOptions => ({
  env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token, GANTRY_PROJECT: project },
});
const run = (project: string, ...args: string[]) => cli.run(args, options(project));
const shown = async (project: string) =>
  Project.parse(jsonOf((await run(project, "projects", "show", "--json")).stdout));
const idsOf = (...numbers: number[]) => numbers.map((number) => agents[number - 1]?.serverId);

let projects = 0;
/** A project on the first servers, created with the command. */
async function createOn(count: number, ...more: string[]): Promise<string> {
  projects += 1;
  const name = `fleet-${projects}`;
  const servers = Array.from({ length: count }, (_, at) => ["--server", `web-${at + 1}`]).flat();
  const repository = ["--repository", "https://example.com/shop.git"];
  const created = await run(name, "projects", "create", name, ...repository, ...servers, ...more);
  expect(created).toMatchObject({ code: 0 });
  return name;
}

const resolved = { type: "resolved", commit_sha: SHA, commit_message: "Change the title" } as const;

/** Takes each server of a new deployment to where it waits for its permit. */
async function prepare(project: string, version: number, count: number) {
  const projectId = (await shown(project)).id;
  const id = await vi.waitFor(async () => {
    const found = (await api.listDeployments(projectId)).find((one) => one.version === version);
    return found?.id ?? Promise.reject(new Error(`there is no v${version}`));
  });
  const orders = [];
  for (const [at, agent] of agents.slice(0, count).entries()) {
    const order = await agent.orderOf(id);
    const line = output(`Fetched on web-${at + 1}`);
    await agent.reports(order, { type: "stage", stage: "fetch" }, line, resolved, { type: "ready" });
    orders.push({ agent, order });
  }
  return { id, orders };
}

async function deployLive(project: string, version: number, count: number): Promise<string> {
  await api.start((await shown(project)).id);
  const { id, orders } = await prepare(project, version, count);
  for (const { agent, order } of orders) await agent.completes({ ...order, reuse_release: order.version });
  expect((await api.ended(id)).status).toBe("live");
  return id;
}

describe("gantry projects with several servers", () => {
  it("creates a project on them, in the order in which they switch, and shows what runs where", async () => {
    const project = await createOn(2, "--rollout", "batch=2", "--rollout", "canary=1");
    const { servers, rollout } = await shown(project);
    expect(servers.map(({ id }) => id)).toEqual(idsOf(1, 2));
    expect(rollout).toMatchObject({ batch: 2, canary: { size: 1 } });
    const { stdout } = await run(project, "projects", "show");
    expect(stdout).toMatch(/^server\tweb-1 \(srv_/m);
    expect(stdout).toMatch(/^rollout\tfirst 1, then 2 at a time$/m);
    expect(stdout).toMatch(/^servers\tweb-2\tnone\t–\t[^\t]+\tall processes\t–\tsrv_/m);
    expect(stdout).not.toMatch(/^servers\t\[/m);
  });

  it("replaces the servers, says which processes and cron jobs run where, and what comes next", async () => {
    const project = await createOn(1);
    expect((await run(project, "projects", "show")).stdout).not.toMatch(/^(servers|rollout)\t/m);
    const [web1, web3] = ["--server=web-1=web", "--server=web-3=worker"];
    const set = await run(project, "projects", "set", web1, web3, "--cron-server", "web-3");
    expect(set).toMatchObject({ code: 0 });
    expect(set.stderr).toContain(
      `The change counts from the next deployment. gantry apply ${project} brings the live code to web-3.`,
    );
    expect(set.stdout).toMatch(/^servers\tweb-3\t.*\tworker \(no site\)\t/m);
    expect((await shown(project)).servers).toEqual([
      { id: idsOf(1)[0], processes: ["web"], cron: false },
      { id: idsOf(3)[0], processes: ["worker"], cron: true },
    ]);
    expect(await run(project, "projects", "set", "--cron-server", "web-1")).toMatchObject({ code: 0 });
    expect((await shown(project)).servers.map(({ cron }) => cron)).toEqual([true, false]);
    const back = await run(project, "projects", "set", "--server", "web-2", "--rollout", "canary=");
    expect(back).toMatchObject({ code: 0 });
    expect(back.stderr).toContain("web-1, web-3 keep what runs there until then.");
    expect((await shown(project)).servers).toEqual([{ id: idsOf(2)[0], processes: null, cron: false }]);
    expect((await run(project, "projects", "set", "--server", "web-1")).stderr).toContain(
      `${project} moves to web-1 with its next deployment.`,
    );
  });

  it("builds on another server, takes builds from elsewhere, and shows both", async () => {
    const project = await createOn(1, "--build-on", "web-3", "--artifact-uploads", "on");
    expect(await shown(project)).toMatchObject({ build_on: idsOf(3)[0], artifact_uploads: true });
    const before = (await run(project, "projects", "show")).stdout;
    expect(before).toContain("built on\tweb-3\n");
    expect(before).toContain("artifact uploads\taccepted\n");
    const set = await run(project, "projects", "set", "--build-on", "", "--artifact-uploads", "off");
    expect(set).toMatchObject({ code: 0 });
    expect(await shown(project)).toMatchObject({ build_on: null, artifact_uploads: false });
    expect((await run(project, "projects", "show")).stdout).not.toMatch(/^(built on|artifact uploads)\t/m);
  });

  it("prints the deploy key of the server that builds for the others, which alone needs it", async () => {
    const project = await createOn(1, "--build-on", "web-3");
    const [, , builder] = agents;
    if (builder === undefined) throw new Error("no third agent");
    builder.answersRequests = true;
    await builder.connect();
    await run(project, "projects", "set", "--repository", "git@git.test:team/shop.git");
    const { stdout } = await run(project, "projects", "show");
    expect(stdout).toMatch(/^deploy key of web-3\tssh-ed25519 /m);
    expect(stdout).not.toMatch(/^deploy key\t/m);
  });

  it("refuses servers that are not known, are named twice, or do not have the cron jobs", async () => {
    const project = await createOn(2);
    const refusal = async (...args: string[]) => (await run(project, "projects", "set", ...args)).stderr;
    expect(await refusal("--server", "web-1", "--server", "web-9")).toContain(
      "There is no server web-9 in this account. Did you mean web-",
    );
    expect(await refusal("--server", "web-1", "--server", "web-1=web")).toContain("names web-1 twice");
    expect(await refusal("--cron-server", "web-3")).toContain(
      "--cron-server web-3 is none of the project's servers: web-1, web-2.",
    );
    expect(await refusal("--rollout", "ordre=at_once")).toContain("Did you mean order?");
  });
});

describe("gantry projects behind a balancer", () => {
  it("sets the balancer, and shows which servers are set up", async () => {
    const project = await createOn(2);
    expect((await run(project, "projects", "show")).stdout).not.toMatch(/^(visitors|traffic)\t/m);
    const set = (...args: string[]) => run(project, "projects", "set", ...args);
    expect((await set("--entry", "balancer", "--balancer", "web-3")).stderr).toContain("--address");
    for (const [name, address] of [
      ["web-1", "10.0.0.1"],
      ["web-2", "web-2.internal"],
    ] as const) {
      const changed = await run(project, "servers", "set", name, "--address", address);
      expect(changed.stdout).toMatch(new RegExp(`^address for balancers\\t${address}$`, "m"));
    }
    const chosen = await set("--entry", "balancer", "--balancer", "web-3", "--sticky");
    expect(chosen, chosen.stderr).toMatchObject({ code: 0 });
    expect(chosen.stdout).toMatch(/^visitors\tthrough web-3, to the same server again$/m);
    expect(chosen.stdout).toMatch(/^traffic\tweb-3\tbalancer\tproblem\t–\tweb-3 reports no Gantry ingress/m);
    expect(chosen.stderr).toMatch(
      /^Not all balancers and servers can take requests yet:\n {2}web-3 reports no Gantry ingress with TLS\. Install the ingress there\.\n {2}web-1 reports/m,
    );
    expect((await shown(project)).entry).toEqual({ type: "balancer", balancers: idsOf(3), sticky: true });
    expect(await set("--balancer", "web-2")).toMatchObject({ code: 0 });
    expect((await shown(project)).entry).toEqual({ type: "balancer", balancers: idsOf(2), sticky: true });
    expect((await set("--entry", "own")).stdout).toMatch(/^visitors\tthrough a load balancer of your own$/m);
    expect((await run(project, "servers", "set", "web-1", "--address", "auto")).stdout).not.toContain(
      "address for balancers",
    );
  });

  it("refuses options that do not fit, and addresses that are none", async () => {
    const project = await createOn(1);
    const refusal = async (...args: string[]) => (await run(project, ...args)).stderr;
    expect(await refusal("projects", "set", "--entry", "balancer")).toContain("needs --balancer SERVER");
    expect(await refusal("projects", "set", "--entry", "own", "--sticky")).toContain(
      "--entry own takes neither --balancer nor --sticky.",
    );
    for (const address of ["10.0.0.300", "10.0.0.1:8443", "https://web-1.internal", "banana", "web-1."])
      expect(await refusal("servers", "set", "web-1", "--address", address)).toContain(
        "must be an IP address or a host name with a dot, without a port, such as 10.0.0.11 or web-1.internal",
      );
  });
});

describe("gantry deploy --follow to several servers", () => {
  it("names the server of each line, prints each change of a state, and says what is live where", async () => {
    const project = await createOn(2, "--rollout", "offline=skip");
    const call = cli.start(["deploy", "--follow"], options(project));
    const { orders } = await prepare(project, 1, 2);
    await call.printed("stdout", "web-2: ready");
    for (const { agent, order } of orders) await agent.completes({ ...order, reuse_release: order.version });
    const { code, stdout } = await call.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+Z build {4}web-1 {2}Fetched on web-1$/m);
    expect(stdout).toMatch(/^\S+Z build {4}web-2 {2}Fetched on web-2$/m);
    expect(stdout).toMatch(/^web-2: live$/m);
    expect(stdout).toContain("v1 is live on 2 servers: main at");
    expect(stdout).toMatch(/^ {2}live on: web-1, web-2$/m);
    expect(stdout).toBe(stripVTControlCharacters(stdout));
  });

  it("names each server that is not connected, and says how long it waits for it", async () => {
    const project = await createOn(2);
    const [, offline] = agents;
    if (offline === undefined) throw new Error("no second agent");
    offline.cut();
    const call = cli.inTerminal(["deploy", "--follow"], options(project));
    await prepare(project, 1, 1);
    await call.printed("stdout", "web-2: Not connected: waiting until 20");
    await offline.connect();
    const { orders } = await prepare(project, 1, 2);
    for (const { agent, order } of orders) await agent.completes({ ...order, reuse_release: order.version });
    expect((await call.ended).code).toBe(0);
    const { stdout } = await run(project, "logs", "v1");
    expect(stdout.match(/^.* queued {3}web-2 {2}Not connected: waiting until 20.*$/gm)).toHaveLength(1);
  });

  it("ends with the exit code for a hold when the first servers wait for an approval, and says how to give it", async () => {
    const project = await createOn(2, "--rollout", "canary=1", "--rollout", "canary_approval=yes");
    const call = cli.start(["deploy", "--follow"], options(project));
    const { orders } = await prepare(project, 1, 2);
    const [first, second] = orders;
    if (first === undefined || second === undefined) throw new Error("there are two servers");
    await first.agent.completes({ ...first.order, reuse_release: first.order.version });
    const { code, stderr } = await call.ended;
    expect(code).toBe(6);
    expect(stderr).toContain("v1 is waiting for an approval of the servers that have switched, until ");
    expect(stderr).toMatch(/Approve it: {7}gantry approve dpl_/);
    expect((await run(project, "approve", "v1", "--yes")).code).toBe(0);
    await second.agent.completes({ ...second.order, reuse_release: second.order.version });
    const set = await run(project, "projects", "set", "--rollout", "canary=2");
    expect(set.code).toBe(0);
    expect((await shown(project)).rollout.canary).toEqual({ size: 2, approval: true });
  });

  it("tells somebody who rolls back meanwhile to approve or to cancel", async () => {
    const project = await createOn(2);
    await deployLive(project, 1, 2);
    await deployLive(project, 2, 2);
    await run(project, "projects", "set", "--rollout", "canary=1", "--rollout", "canary_approval=yes");
    await api.start((await shown(project)).id);
    const [first] = (await prepare(project, 3, 2)).orders;
    await first?.agent.completes({ ...first.order, reuse_release: first.order.version }, [1, 2]);
    const { code, stderr } = await run(project, "rollback");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("v4 waits for v3, which has switched on its first servers");
    expect(stderr).toMatch(/gantry approve v3$/m);
    expect(stderr).toMatch(/gantry cancel v4 v3$/m);
    expect((await run(project, "logs", "v4")).stdout).toContain(
      "approve it, or cancel it to let them go back.",
    );
    const live = await run(project, "rollback", "--to", "v2");
    expect(live.stderr).toContain("v2 is already live. v3 has switched on its first servers");
    expect((await run(project, "cancel", "v4", "v3")).code).toBe(0);
  });

  it("--json prints the lines with the ID of their server, and no other events than for one server", async () => {
    const project = await createOn(2);
    const id = await deployLive(project, 1, 2);
    const { stdout } = await run(project, "logs", "-f", id, "--json");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => jsonOf(line));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "line", message: "Fetched on web-2", server_id: idsOf(2)[0] }),
    );
    expect(events.at(-1)).toEqual({ type: "end", deployment_id: id, status: "live", failure: null });
  });

  it("redraws a table of the servers at a terminal", async () => {
    const project = await createOn(2);
    const call = cli.inTerminal(["deploy", "--follow"], options(project));
    const { orders } = await prepare(project, 1, 2);
    await call.printed("stdout", "1 ready");
    for (const { agent, order } of orders) await agent.completes({ ...order, reuse_release: order.version });
    const { code, stdout } = await call.ended;
    expect(code).toBe(0);
    const text = stripVTControlCharacters(stdout);
    expect(text).toMatch(
      /v1 {2}1 building, 1 ready {2}.* s\r?\nweb-1 {2}building: fetch .* s {3}web-2 {2}ready/,
    );
    expect(text).toMatch(/web-1 {2}build {4}Fetched on web-1/);
    expect(text).not.toMatch(/^web-2: ready/m);
  });

  it("names the server on which a deployment failed, and what became of the others", async () => {
    const project = await createOn(2);
    await deployLive(project, 1, 2);
    const call = cli.start(["deploy", "--follow"], options(project));
    const { orders } = await prepare(project, 2, 2);
    const [first, second] = orders;
    if (first === undefined || second === undefined) throw new Error("there are two servers");
    const failure = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
    const result = { outcome: "failed", failure } as const;
    await first.agent.completes({ ...first.order, reuse_release: first.order.version }, [1]);
    expect(await second.agent.reports(second.order)).toMatchObject({ instruction: "activate" });
    await second.agent.reports(second.order, {
      type: "result",
      result,
      project: { ...emptyReport(second.order), release: 1, releases: [1] },
    });
    const back = await vi.waitFor(async () => {
      const order = await first.agent.orderOf(second.order.deployment_id);
      return order.run_id === first.order.run_id ? Promise.reject(new Error("no order")) : order;
    });
    await first.agent.completes(back, [1, 2]);
    const { code, stdout } = await call.ended;
    expect(code).toBe(1);
    expect(stdout).toContain("v2 failed on web-2: exit code 1 (build_failed, in the stage build)");
    expect(stdout).toMatch(/^ {2}went back: web-1\n {2}failed on: web-2$/m);
    const show = await run(project, "deployments", "show", "v2");
    expect(show.stdout).toMatch(/^failure\ton web-2: exit code 1 \(build_failed, in the stage build\)$/m);
    expect(show.stdout.match(/^servers\tweb-1\t.*$/gm)).toEqual([expect.stringMatching(/\twent back\t/)]);
    expect(show.stdout).toMatch(/^servers\tweb-2\tfailed\tbuild\texit code 1 \(build_failed\)$/m);
  });
});

describe("a live deployment on several servers", () => {
  let project: string;
  beforeAll(async () => {
    project = await createOn(2);
    await deployLive(project, 1, 2);
  });

  it("has a log, of which gantry logs --server shows the lines of one", async () => {
    const all = await run(project, "logs", "v1");
    expect(all.stdout).toMatch(/web-1 {2}Fetched on web-1$/m);
    expect(all.stdout).toMatch(/web-2 {2}Fetched on web-2$/m);
    const one = await run(project, "logs", "v1", "--server", "web-2");
    expect(one.stdout).toContain("Fetched on web-2");
    expect(one.stdout).not.toContain("Fetched on web-1");
    const followed = await run(project, "logs", "-f", "v1", "--server", `${idsOf(1)[0]}`);
    expect(followed.stdout).toContain("Fetched on web-1");
    expect(followed.stdout).not.toContain("Fetched on web-2");
    const wrong = await run(project, "logs", "v1", "--server", "web-3");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("does not go to the server web-3, but to web-1, web-2. Did you mean web-");
  });

  it("is shown by its deployments and its project", async () => {
    const { stdout } = await run(project, "deployments", "show", "v1");
    expect(stdout).toMatch(/^servers\tweb-2\tlive\t–\t–$/m);
    const json = Deployment.parse(jsonOf((await run(project, "deployments", "show", "v1", "--json")).stdout));
    expect(json.runs).toHaveLength(2);
    await vi.waitFor(async () =>
      expect((await run(project, "projects", "show")).stdout).toMatch(/^servers\tweb-2\tlive\tv1\t/m),
    );
  });

  it("is a target of a rollback, of which gantry rollback says where its files are", async () => {
    await deployLive(project, 2, 2);
    const { code, stderr } = await run(project, "rollback", "--to", "v1");
    expect(code).toBe(0);
    expect(stderr).toMatch(/Rolling back to v1: .*; its files are still on all servers\./);
  });

  it("has a line for each server in gantry ps", async () => {
    const { code, stderr } = await run(project, "ps");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The processes are of web-1, the first of 2 servers:$/m);
    expect(stderr).toMatch(/^ {2}web-2: no processes reported, serves v[12]$/m);
    const second = await run(project, "ps", "--on", "web-2");
    expect(second.stderr).toMatch(/^The processes are of web-2, one of 2 servers:$/m);
  });

  it("prints what the app prints on all servers, or on the servers that --server names", async () => {
    for (const [at, agent] of agents.entries())
      agent.printed = [{ instance: "web-1-0", message: `Hello from web-${at + 1}` }];
    const all = await run(project, "logs", "--app", "--no-follow");
    // Both servers are asked at the same time.
    expect(all.stdout.trim().split("\n").toSorted()).toEqual([
      "web-1\tweb-1-0\tHello from web-1",
      "web-2\tweb-1-0\tHello from web-2",
    ]);
    const one = await run(project, "logs", "--app", "--no-follow", "--server", "web-2");
    expect(one.stdout).toBe("web-1-0\tHello from web-2\n");
    const json = await run(project, "logs", "--app", "--no-follow", "--json");
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => jsonOf(line)),
    ).toEqual(
      expect.arrayContaining(
        idsOf(1, 2).map((server_id) => expect.objectContaining({ type: "line", server_id })),
      ),
    );
    const wrong = await run(project, "logs", "--app", "--server", "web-3");
    expect(wrong.stderr).toContain(
      "does not run on the server web-3, but on web-1, web-2. Did you mean web-",
    );
  });

  it("runs a one-off command on the server that --on names", async () => {
    const commands = (agent: ConnectedAgent | undefined) =>
      (agent?.received ?? []).flatMap((one) => (one.type === "start_command" ? one.command : []));
    await run(project, "run", "--on", "web-2", "--", "hostname", "-f");
    expect([commands(agents[0]), commands(agents[1])]).toEqual([[], ["hostname -f"]]);
  });
});
