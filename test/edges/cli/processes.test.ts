import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import { ProcessUpdated } from "#contract/endpoints/processes/schemas.ts";
import { MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { presetFor } from "#project-files/frameworks/preset-for.ts";
import { ProjectId } from "#contract/ids.ts";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { crashLooping, instanceReport, processReport } from "../../support/process-reports.ts";
import { type CallOptions, createCli, jsonOf } from "../../cli/support/command.ts";
import { createServerWithKey, type ServerWithKey } from "../../cli/support/server-with-key.ts";

const cli = createCli();
let gantry: Gantry;
let server: ServerWithKey;

beforeAll(async () => {
  gantry = await useGantry();
  server = await createServerWithKey(gantry, "apps");
});
afterAll(() => server.stop());

const environment = (): CallOptions => ({
  env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token, GANTRY_PROJECT: server.projectId },
});
const gantryRun = (...args: string[]) => cli.run(args, environment());
const settings = async () =>
  Project.parse((await server.api.call("GET", `/v1/projects/${server.projectId}`)).json);
/** Runs a command, and lets the server do the deployments that it starts, one after the other. */
const runAndServe = async (args: string[], count: number) => {
  const orders = () => server.agent.received.flatMap((one) => (one.type === "run" ? [one.order] : []));
  const before = orders().length;
  const running = cli.start(args, environment());
  for (let at = before; at < before + count; at += 1) {
    const order = await vi.waitFor(() => orders()[at] ?? Promise.reject(new Error(`no order ${at}`)));
    await server.agent.completes(order);
  }
  return running.ended;
};

describe("gantry logs --app", () => {
  it("prints the last lines of the instances, or says that its names are none", async () => {
    server.agent.printed = [{ instance: "web-1-0", message: "listening\u001b[2J" }];
    const { code, stdout } = await gantryRun("logs", "--app", "--no-follow", "--process", "web");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "web-1-0\tlistening\n" });
    const wrong = await gantryRun("logs", "--app", "--process", "Web!");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("--process must be the name of a process, such as web.");
    expect(wrong.stderr).not.toContain("--lines");
  });

  it("names the processes instead of waiting for one that does not exist, or is no deployment", async () => {
    server.agent.processes = [processReport("web", { instances: [instanceReport("web-1-0")] })];
    const nope = await gantryRun("logs", "--app", "--process", "nope");
    expect({ code: nope.code, stderr: nope.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("The project has no process nope. Its processes are web."),
    });
    const word = await gantryRun("logs", "worker");
    expect(word.stderr).toContain("gantry logs --app --process worker");
    expect((await gantryRun("logs", "--lines", "5")).stderr).toContain("Use gantry logs --app --lines.");
    server.agent.printed = [{ instance: "web-8-0", message: "bye", time: "2026-11-20T10:00:03.000Z" }];
    const ended = await gantryRun("logs", "--app", "--instance", "web-8-0", "--timestamps");
    expect(ended.stdout).toBe("2026-11-20T10:00:03.000Z\tweb-8-0\tbye\n");
    expect(ended.stderr).toContain("web-8-0 has ended. This is the end of its output.");
    server.agent.processes = [];
  });

  it("prints new lines until Ctrl-C, and says how many are left out", async () => {
    const { agent, projectId } = server;
    const follows = (count: number) =>
      vi.waitFor(() => {
        const found = agent.received.filter((one) => one.type === "follow_output");
        return found[count - 1] ?? Promise.reject(new Error(`${found.length} requests to follow`));
      });
    const running = cli.start(["logs", "--app", "--lines=1"], environment());
    const { reader, lines } = await follows(1);
    expect(lines).toBe(1);
    await running.printed("stderr", "No output yet. gantry ps shows which processes run.");
    agent.prints(projectId, reader, [{ line: 1, instance: "web-1-0", message: "one" }]);
    agent.prints(projectId, null, [{ line: 2, instance: "web-1-0", message: "two" }], 3);
    await vi.waitFor(() => expect(running.stdout()).toContain("web-1-0\ttwo"));
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.stdout).toBe("web-1-0\tone\nweb-1-0\ttwo\n");
    expect(ended.stderr).toContain("3 lines are left out: the app prints faster than they can be sent.");
    await vi.waitFor(() => expect(agent.received.some(({ type }) => type === "stop_output")).toBe(true));
  });
});

describe("gantry projects", () => {
  it("says which project is degraded, and why", async () => {
    const processes = [processReport("worker", { instances: [instanceReport("worker-1-0", crashLooping)] })];
    const project_id = ProjectId.parse(server.projectId);
    server.agent.serving({ project_id, release: null, releases: [], url: null, processes });
    await vi.waitFor(async () => expect((await settings()).health.state).toBe("degraded"));
    const listed = await gantryRun("projects");
    expect(listed.stdout).toMatch(/^apps\t.*\tdegraded: worker 0 of 1\t/m);
    expect((await gantryRun("projects", "show")).stdout).toMatch(/^health\tdegraded: worker 0 of 1$/m);
    expect((await gantryRun("events", "--type", "process.*")).stdout).toMatch(
      /\tprocess\.crash_looping\tapps worker: .*ECONNREFUSED/,
    );
  });
});

describe("without a live deployment", () => {
  it("gantry ps says that nothing runs, and apply and restart are refused", async () => {
    const ps = await gantryRun("ps");
    expect(ps).toMatchObject({ code: 0, stdout: "" });
    expect(ps.stderr).toContain("The server runs no processes of this project.");
    const applied = await gantryRun("apply");
    expect(applied.code).toBe(4);
    expect(applied.stderr).toMatch(/^Not live: /);
    expect((await gantryRun("restart")).stderr).toContain("No process of this project runs.");
  });

  it("gantry scale stores the number, and says when it counts", async () => {
    const set = await gantryRun("projects", "set", "--process", "web.command=node server.js", "--drain=10");
    expect(set.stdout).toMatch(/^processes\tweb; replaced ones get 10 s to finish$/m);
    expect((await gantryRun("ps")).stderr).toMatch(
      /^Nothing runs yet: web will with the next deployment that goes live\. See how .* gantry deployments/m,
    );
    const tooMany = await gantryRun("scale", "web=13");
    expect(tooMany).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("web=13: a process can have at most 12 instances."),
    });
    const scaled = await gantryRun("scale", "web=2");
    expect(scaled).toMatchObject({ code: 0, stderr: "" });
    expect(scaled.stdout).toBe("web: 2 from the first deployment on. Nothing is live yet.\n");
    const { stdout } = await gantryRun("scale", "web=2", "--json");
    expect(ProcessUpdated.parse(jsonOf(stdout))).toMatchObject({
      process: { name: "web", instances: 2 },
      deployment: null,
    });
  });
});

/** What the agent reports of a repository with a Procfile and a gantry.json. */
const preset = {
  ...presetFor("static"),
  app_type: "server" as const,
  processes: { worker: { command: "run worker" } },
  repository_definitions: {
    release_command: { command: "./migrate", from: "Procfile" as const },
    processes: { worker: "Procfile" as const },
    cron: [{ name: "backup", schedule: "@daily", command: "./backup" }],
  },
};

describe("with a live deployment", () => {
  beforeAll(async () => {
    const { id } = await server.api.start(server.projectId);
    const order = await server.agent.orderOf(id);
    await server.agent.reports(order, { type: "framework", preset });
    await server.agent.completes(order);
    await server.api.ended(id);
    server.agent.processes = [
      processReport("web", { wanted: 2, instances: [instanceReport("web-1-0"), instanceReport("web-1-1")] }),
      processReport("worker", { instances: [instanceReport("worker-1-0", crashLooping)] }),
      processReport("clock", { stopped: true, instances: [] }),
    ];
  });

  it("gantry ps shows each instance, and the last lines of one that keeps ending", async () => {
    const { code, stdout, stderr } = await gantryRun("ps");
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      expect.stringMatching(
        /^web\tweb-1-0\tlive\t2026-11-20T09:14:43.090Z\t0\t83886080\t1\.4\tfrom the settings\trun web$/,
      ),
      expect.stringMatching(/^web\tweb-1-1\tlive/),
      "worker\tworker-1-0\tcrash_looping\t–\t6\t–\t–\tfrom Procfile\trun worker",
      "clock\t–\tstopped\t–\t–\t–\t–\t–\trun clock",
    ]);
    expect(stderr).toContain(
      "worker-1-0 keeps ending: it ended with exit code 1. Its last lines:\n  listening\n  Error: conn",
    );
    expect(stderr).not.toContain("\u001b");
  });

  it("gantry projects show says in which files the repository defines what runs", async () => {
    const { stdout } = await gantryRun("projects", "show");
    expect(stdout).toMatch(/^release command\t\.\/migrate \(from Procfile\)$/m);
    expect(stdout).toMatch(/^processes\tweb \(2\), worker \(from Procfile\); /m);
    expect(stdout).toMatch(/^jobs\tbackup \(@daily\): \.\/backup \(from gantry\.json\)$/m);
    expect(stdout).not.toMatch(/^output directory/m);
  });

  it("gantry ps --watch redraws the table at a terminal until Ctrl-C", async () => {
    const watching = cli.inTerminal(["ps", "--watch"], environment());
    await watching.printed("stdout", "crash looping");
    server.agent.processes = server.agent.processes.slice(0, 1);
    await watching.printed("stdout", "\u001b[J");
    watching.type("\u0003");
    const { code, stdout } = await watching.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/PROCESS.*INSTANCE.*STATE.*UPTIME/);
  });

  it("gantry scale, stop, start and apply each start a deployment of the live release", async () => {
    const scaled = await runAndServe(["scale", "web=3", "--follow"], 1);
    expect(scaled).toMatchObject({ code: 0 });
    expect(scaled.stdout).toMatch(/^Change of web to 3 has started: v2 /);
    expect(scaled.stdout).toContain("v2 is live");
    expect((await runAndServe(["stop", "web", "--follow"], 1)).stdout).toMatch(
      /^Stop of web in proj_\w+ has started: v3 /,
    );
    expect((await settings()).processes).toEqual({
      web: { command: "node server.js", instances: 3, stopped: true },
    });
    expect((await runAndServe(["start", "web", "--follow"], 1)).code).toBe(0);
    expect((await settings()).processes["web"]?.stopped).toBeUndefined();
    const applied = await runAndServe(["apply", "--follow", "--json"], 1);
    expect(applied.code).toBe(0);
    expect(jsonOf(applied.stdout.split("\n")[0] ?? "")).toMatchObject({ type: "started", version: 5 });
  });

  it("gantry restart without a name restarts every process that runs, one after the other", async () => {
    server.agent.processes = [processReport("web"), processReport("clock", { stopped: true, instances: [] })];
    const restarted = await runAndServe(["restart", "--follow"], 1);
    expect(restarted).toMatchObject({ code: 0 });
    expect(restarted.stdout).toMatch(/^Restart of web in proj_\w+ has started: v6 /);
  });

  it("gantry variables set --apply applies the change without a build", async () => {
    const set = await runAndServe(["variables", "set", "LOG_LEVEL=debug", "--apply", "--follow"], 1);
    expect(set).toMatchObject({ code: 0 });
    expect(set.stdout).toMatch(
      /^Set LOG_LEVEL in revision 1\.\nDeployment of proj_\w+ without a build has started: v7 /,
    );
    expect((await settings()).variables_applied).toBe(true);
  });
});

describe("the arguments of these commands", () => {
  it.each([
    [["scale", "web"], "web is not PROCESS=COUNT, such as web=3."],
    [["scale", "web=1", "web=2"], "web is named twice."],
    [["variables", "set", "A=1", "--follow"], "Pass --apply with --follow."],
    [
      ["projects", "set", "--process", "web.instance=1"],
      "A process has no field instance. Did you mean instances?",
    ],
    [["projects", "set", "--process", "web.instances=many"], "--process web.instances: "],
    [["projects", "set", "--process", "web"], "web is not NAME.FIELD=VALUE, such as worker.instances=2."],
    [["projects", "set", "--drain", "soon"], "--drain must be a whole number."],
  ])("%j are refused", async (args, text) => {
    const { code, stderr } = await gantryRun(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  it("name a process that does not exist", async () => {
    const { code, stderr } = await gantryRun("restart", "wbe");
    expect(code).toBe(4);
    expect(stderr).toMatch(/^Not found: /);
  });
});

describe("gantry pause", () => {
  it("holds requests for up to 30 s, until gantry resume", async () => {
    const paused = await gantryRun("pause", "--seconds", "20");
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining("requests are held for 20 s") });
    expect(await server.agent.receives("set_pause")).toMatchObject({ seconds: 20 });
    expect(await gantryRun("resume")).toMatchObject({ code: 0, stdout: expect.stringContaining("pass") });
    for (const seconds of ["0", "31", "x"])
      expect((await gantryRun("pause", "--seconds", seconds)).code).toBe(2);
  });
});

describe("gantry projects check-domains", () => {
  it("fails if a name leads elsewhere, and says which record to create", async () => {
    const { code, stdout, stderr } = await gantryRun("projects", "check-domains");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\S+\telsewhere\t198\.51\.100\.7\t-\n$/);
    expect(stderr).toMatch(/create the DNS record \S+\. A \S+\n$/);
    const json = jsonOf((await gantryRun("projects", "check-domains", "--json")).stdout);
    expect(DomainChecks.parse(json).domains).toMatchObject([{ state: "elsewhere" }]);
  });
});

describe("gantry maintenance", () => {
  it("is turned on with a message, and off again by the server", async () => {
    const on = await gantryRun("maintenance", "on", "--message", "Back at noon");
    expect(on).toMatchObject({ code: 0, stdout: expect.stringMatching(/: maintenance is on\.\n$/) });
    expect((await gantryRun("projects", "show")).stdout).toMatch(
      /^maintenance\ton, since .*: Back at noon$/m,
    );
    const off = await gantryRun("maintenance", "off", "--json");
    expect(MaintenanceSet.parse(jsonOf(off.stdout))).toMatchObject({ maintenance: null, applied: true });
    expect((await gantryRun("maintenance", "off", "--message", "x")).code).toBe(2);
  });

  it("says that the server has not applied it", async () => {
    server.agent.answersRequests = false;
    server.agent.cut();
    await server.api.call("GET", "/v1/servers");
    const { code, stderr } = await gantryRun("maintenance", "on");
    expect(code).toBe(1);
    expect(stderr).toContain("Stored, but the server has not applied it: The agent of");
    expect((await settings()).maintenance).toMatchObject({ message: null });
  });
});

describe("gantry pause, which the server must do", () => {
  it("is refused while the server is not connected", async () => {
    server.agent.answersRequests = false;
    server.agent.cut();
    await server.api.call("GET", "/v1/servers");
    const { code, stderr } = await gantryRun("pause");
    expect(code).toBe(4);
    expect(stderr).toContain("is not connected");
  });
});

describe("gantry projects set", () => {
  it("replaces the aliases, and removes a field of a process", async () => {
    await gantryRun("projects", "set", "--alias=www.apps.test", "--serve-alias=apps.test");
    expect((await settings()).aliases).toEqual([
      { domain: "www.apps.test", redirect: true },
      { domain: "apps.test", redirect: false },
    ]);
    const removed = await gantryRun("projects", "set", "--process", "web.instances=", "--no-aliases");
    expect(removed.stdout).toMatch(/^aliases\tnone$/m);
    expect((await settings()).processes["web"]).toEqual({ command: "node server.js" });
  });
});
