import { connect } from "node:net";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { InstanceSpec, SupervisedInstance, Supervisor } from "#agent/apps/supervisor.ts";
import { createSystemdSupervisor } from "#agent/apps/systemd-supervisor.ts";
import type { HelperRequest } from "#agent/isolation/helper.ts";
import { initialProcess, supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import { ProjectId } from "#contract/ids.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { freePort } from "../support/free-port.ts";
import { describeSupervisor } from "../support/supervisor-suite.ts";
import { askHelper, connectToHelper } from "./support/ask-helper.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const HOME = "/var/lib/gantry";
const SECRET = "a-value-that-is-searched-for";
const REVERSED = "rof-dehcraes-si-taht-eulav-a";

const shop = ProjectId.parse("proj_01j00000000000000000000000");
const other = ProjectId.parse("proj_01j00000000000000000000001");
const folderOf = (project: ProjectId) => `${HOME}/projects/${project}`;
const unitOf = (name: string, project = shop) => `gantry-app-${project}-${name}.service`;

let gantry: Gantry;
let machine: DebianMachine;
beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
  const { enrollment } = await registerServer(gantry);
  // Without the agent, which would stop instances that it does not know.
  await machine.tell(`${enrollment.command} -s -- --no-start`);
  for (const project of [shop, other]) await makeRelease(project);
});
// What a failed test left.
afterEach(async ({ task }) => {
  if (task.result?.state === "fail")
    await machine.run(
      "systemctl kill --signal=KILL 'gantry-app-proj*'; systemctl stop 'gantry-app-proj*'; rm -rf /run/gantry-isolate/apps",
    );
});
afterAll(() => machine.close());

async function makeRelease(project: ProjectId, version = 1): Promise<void> {
  const places = [folderOf(project), `${folderOf(project)}/releases`].join(" ");
  await machine.tell(
    `install -d -o gantry -g gantry ${HOME}/projects ${places} ${folderOf(project)}/releases/${version} ${folderOf(project)}/output`,
  );
}

/** The supervisor of an agent on the machine. */
function supervisor(): Supervisor {
  return createSystemdSupervisor({ home: HOME, socketPath: `${machine.root}/run/gantry-isolate.sock` });
}

const spec = (name: string, line: string, change: Partial<InstanceSpec> = {}): InstanceSpec => {
  const project = change.project ?? shop;
  return {
    project,
    name,
    release: 1,
    command: {
      argv: ["sh", "-c", line],
      cwd: `${folderOf(project)}/releases/1`,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", SECRET },
    },
    limits: { memoryMb: null, cpuWeight: 100, tasks: 4096 },
    ...supervisedOf(initialProcess),
    stop_seconds: 5,
    ...change,
  };
};

const listener = (port: number) =>
  `exec node -e 'require("net").createServer((s) => s.end("up")).listen(${port}, "127.0.0.1")'`;

async function start(name: string, line: string, change: Partial<InstanceSpec> = {}): Promise<void> {
  expect(await supervisor().start(spec(name, line, change))).toEqual({ ok: true, value: null });
}

async function stop(name: string, project = shop): Promise<void> {
  expect(await supervisor().stop(project, name)).toEqual({ ok: true, value: null });
}

async function list(project: ProjectId | null = null): Promise<readonly SupervisedInstance[]> {
  const listed = await supervisor().list(project);
  if (!listed.ok) throw new Error(listed.reason);
  return listed.value;
}

const startRequest = (job: { readonly version: number; readonly job_bytes: number }): HelperRequest => ({
  ...({ verb: "start", project: shop, instance: "web-1-0" } as const),
  ...{ memory_mb: null, cpu_weight: 100, tasks: 64, ...supervisedOf(initialProcess) },
  ...job,
});
const find = async (name: string) => (await list(shop)).find((instance) => instance.name === name);
const show = (name: string, ...names: readonly string[]) =>
  machine.tell(`systemctl show ${unitOf(name)} ${names.map((property) => `-p ${property}`).join(" ")}`);
const pidOf = (name: string) => machine.tell(`systemctl show -p MainPID --value ${unitOf(name)}`);
const logOf = (name: string) => machine.tell(`cat ${folderOf(shop)}/logs/${name}.log`);

/** All that is left of instances: units, their files, and the files of the helper. */
const leftOver = async () =>
  (
    await machine.run(
      "systemctl list-units --all --plain --no-legend 'gantry-app-proj*'; ls -A /run/gantry-isolate/apps 2>/dev/null; ls /run/systemd/transient 2>/dev/null | grep gantry-app-proj; ls /run/credentials 2>/dev/null | grep gantry-app",
    )
  ).output;

describeSupervisor("systemd", () => ({
  supervisor: supervisor(),
  project: shop,
  release: 1,
  folder: `${folderOf(shop)}/home`,
  node: "/usr/local/bin/node",
  readText: async (path) => (await machine.run(`cat ${path} 2>/dev/null`)).output,
  readLog: async (name) => (await machine.run(`cat ${folderOf(shop)}/logs/${name}.log 2>/dev/null`)).output,
  isAlive: async (pid) => (await machine.run(`grep -qv ' Z ' /proc/${pid}/stat`)).code === 0,
}));

describe("an instance on a server with systemd", () => {
  it("runs as its project's user, within its limits, and sees no other project", async () => {
    await machine.tell(`touch ${folderOf(other)}/releases/1/hidden`);
    const look = `id -un; pwd; ls ${HOME}/projects; ls -d /run/gantry /run/gantry-isolate/*; touch made; echo "$SECRET" | rev; printf %s "$CREDENTIALS_DIRECTORY"; exec sleep 1000`;
    const limits = { memoryMb: 256, cpuWeight: 50, tasks: 64 };
    await start("look-1-0", look, { limits, stop_signal: "SIGQUIT", stop_seconds: 7 });
    await expect.poll(() => logOf("look-1-0")).toContain(REVERSED);
    const lines = (await logOf("look-1-0")).split("\n").filter((line) => !line.startsWith("ls: cannot"));
    expect(lines).toEqual([shop, `${folderOf(shop)}/releases/1`, shop, REVERSED]);
    const shown = await show(
      "look-1-0",
      ...["MemoryMax", "MemorySwapMax", "CPUWeight", "TasksMax", "KillSignal", "KillMode", "TimeoutStopUSec"],
      ...["User", "Slice", "Restart", "NoNewPrivileges", "OOMPolicy", "StartLimitIntervalUSec"],
    );
    expect(shown.split("\n").toSorted()).toEqual([
      "CPUWeight=50",
      "KillMode=mixed",
      "KillSignal=3",
      "MemoryMax=268435456",
      "MemorySwapMax=268435456",
      "NoNewPrivileges=yes",
      "OOMPolicy=continue",
      "Restart=always",
      "Slice=gantry-app.slice",
      "StartLimitIntervalUSec=0",
      "TasksMax=64",
      "TimeoutStopUSec=8s",
      `User=${shop}`,
    ]);
    await stop("look-1-0");
  });

  it("has its secrets in no unit, argument or file that anyone else can read", async () => {
    await start("web-1-0", "exec sleep 1000");
    // The pattern is in a file, so that the search does not find itself.
    await machine.write("/srv/pattern", SECRET);
    const grep = "grep -F -f /srv/pattern";
    const searched = await machine.run(
      `ps -eo args | ${grep}; systemctl show ${unitOf("web-1-0")} | ${grep}; systemctl cat ${unitOf("web-1-0")} | ${grep}; journalctl --output=cat | ${grep}; ${grep} -rlsD skip ${HOME} /etc /tmp /run | grep -v -e '^/run/gantry-isolate/apps/${unitOf("web-1-0")}.job$' -e '^/run/credentials/${unitOf("web-1-0")}/job$'`,
    );
    expect(searched.output).toBe("");
    const pid = await pidOf("web-1-0");
    await askHelper(machine, { verb: "own", project: other, version: 1 });
    for (const user of ["gantry", other]) {
      const read = `cat /run/gantry-isolate/apps/* /run/gantry-isolate/apps/${unitOf("web-1-0")}.job /run/credentials/${unitOf("web-1-0")}/job /proc/${pid}/environ`;
      const { code, output } = await machine.run(
        `setpriv --reuid=${user} --regid=${user} --init-groups sh -c '${read}' | ${grep}`,
      );
      expect({ user, code, output }).toMatchObject({ user, code: 1 });
    }
    await stop("web-1-0");
    expect(await leftOver()).toBe("");
  });

  it("is stopped with all its processes, and leaves nothing behind", async () => {
    await start("web-1-0", "setsid sleep 1001 & trap 'exit 3' TERM; while :; do sleep 0.1; done");
    await expect.poll(async () => (await machine.run("pgrep -f '^sleep 1001'")).code).toBe(0);
    await stop("web-1-0");
    expect((await machine.run("pgrep -f '^sleep 1001'")).code).toBe(1);
    expect(await leftOver()).toBe("");
    expect(await list()).toEqual([]);
  });

  it("is not touched by a reload of systemd, an update of the agent or the end of the helper", async () => {
    const port = await freePort();
    await start("web-1-0", listener(port));
    const pid = await pidOf("web-1-0");
    await machine.tell("systemctl daemon-reload && systemctl daemon-reexec");
    expect(await machine.run(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --no-start`)).toMatchObject({
      code: 0,
    });
    await machine.run(
      "systemctl kill --signal=KILL 'gantry-isolate@*'; systemctl restart gantry-isolate.socket",
    );
    expect(await pidOf("web-1-0")).toBe(pid);
    expect(await find("web-1-0")).toMatchObject({ state: "running", restarts: 0, lastExit: null });
    // It is started again as before, with its secrets.
    await machine.tell(`systemctl kill --kill-who=main --signal=KILL ${unitOf("web-1-0")}`);
    await expect
      .poll(() => find("web-1-0"))
      .toMatchObject({ state: "running", restarts: 1, lastExit: { code: null, signal: "SIGKILL" } });
    const environment = async () => machine.tell(`cat /proc/${await pidOf("web-1-0")}/environ`);
    await expect.poll(environment).toContain(SECRET);
    expect(await pidOf("web-1-0")).not.toBe(pid);
    await stop("web-1-0");
  });

  it("is started by the next request if the helper was killed in the middle of one", async () => {
    // The helper waits for the rest of the job.
    const waiting = connect(`${machine.root}/run/gantry-isolate.sock`);
    waiting.on("error", () => undefined);
    const request = startRequest({ version: 1, job_bytes: 100 });
    waiting.write(`${JSON.stringify(request)}\nexec`);
    const helpers = "systemctl list-units --plain --no-legend 'gantry-isolate@*' | wc -l";
    await expect.poll(() => machine.tell(helpers)).toBe("1");
    await machine.tell("systemctl kill --signal=KILL 'gantry-isolate@*'");
    expect(await list()).toEqual([]);
    for (const delay of [0.05, 0.15, 0.25]) {
      const starting = supervisor().start(spec("web-1-0", "exec sleep 1000"));
      await machine.run(`sleep ${delay}; systemctl kill --signal=KILL 'gantry-isolate@*'`);
      await starting;
      await start("web-1-0", "exec sleep 1000");
      expect((await list()).map(({ name, state }) => [name, state])).toEqual([["web-1-0", "running"]]);
      await stop("web-1-0");
      expect(await leftOver()).toBe("");
    }
    // Killed while it stops one: systemd continues, and the next request tidies up.
    await start("web-1-0", "trap '' TERM; while :; do sleep 0.1; done", { stop_seconds: 1 });
    const stopping = supervisor().stop(shop, "web-1-0");
    await expect.poll(async () => (await find("web-1-0"))?.state).toBe("stopping");
    await machine.tell("systemctl kill --signal=KILL 'gantry-isolate@*'");
    expect(await stopping).toMatchObject({ ok: false });
    await expect.poll(() => list()).toEqual([]);
    await start("web-2-0", "exec sleep 1000");
    await stop("web-2-0");
    expect(await leftOver()).toBe("");
  });

  it("has each restart counted, and waits longer for the next, also if its wait for one was killed", async () => {
    await start("brief-1-0", "date +%s%3N; exit 3");
    const starts = async () => (await logOf("brief-1-0")).split("\n").map(Number);
    await expect.poll(async () => (await find("brief-1-0"))?.restarts, { interval: 50 }).toBe(3);
    await expect.poll(() => show("brief-1-0", "SubState"), { interval: 50 }).toBe("SubState=start-pre");
    expect(await starts()).toHaveLength(4);
    await machine.tell(`systemctl kill --kill-who=control --signal=KILL ${unitOf("brief-1-0")}`);
    await expect.poll(starts).toHaveLength(6);
    const [fifth = 0, sixth = 0] = (await starts()).slice(4);
    expect(sixth - fifth).toBeGreaterThanOrEqual(3_180);
    await expect.poll(() => find("brief-1-0")).toMatchObject({ state: "restarting", restarts: 5 });
    await stop("brief-1-0");
  });

  it("leaves no draft of a file that was being written when its script was killed", async () => {
    await start("web-1-0", "exec sleep 1000");
    await machine.tell(
      `cd /run/gantry-isolate/apps && touch ${unitOf("web-1-0")}.end.new ${unitOf("web-8-0")}.life.new ${unitOf("web-8-0")}.job`,
    );
    await stop("web-1-0");
    expect(await leftOver()).toBe("");
  });

  it("is not mistaken for another program that listens on its port", async () => {
    const [own, foreign] = [await freePort(), await freePort()];
    await start("web-1-0", `${listener(own)} & wait`);
    await start("web-1-0", listener(foreign), { project: other });
    const listens = (port: number) => supervisor().listensOn(shop, "web-1-0", port);
    await expect.poll(() => listens(own)).toEqual({ ok: true, value: true });
    await expect
      .poll(() => supervisor().listensOn(other, "web-1-0", foreign))
      .toEqual({ ok: true, value: true });
    expect(await listens(foreign)).toEqual({ ok: true, value: false });
    expect((await list()).map(({ project, name }) => [project, name])).toEqual([
      [shop, "web-1-0"],
      [other, "web-1-0"],
    ]);
    expect((await list(other)).length).toBe(1);
    await stop("web-1-0", other);
    expect((await list()).map(({ project }) => project)).toEqual([shop]);
    await stop("web-1-0");
  });
});

describe("an instance on a server with cgroup v2", () => {
  it("is listed with what its control group says, also whether it was out of memory", async () => {
    await start("web-1-0", "exec sleep 1000");
    // The test machine has no memory controller, so these are the files that the kernel would write.
    const group = `/sys/fs/cgroup${await machine.tell(`systemctl show -p ControlGroup --value ${unitOf("web-1-0")}`)}`;
    await machine.tell(`mount -o remount,rw /sys/fs/cgroup; mkdir -p ${group}`);
    const say = (name: string, text: string) => machine.write(`${group}/${name}`, text);
    await say("memory.current", "90000000\n");
    await say("memory.stat", "anon 50000000\nfile 40000000\ninactive_anon 1\ninactive_file 30000000\n");
    await say("cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n");
    expect(await find("web-1-0")).toMatchObject({ memoryBytes: 60_000_000, cpuMs: 2500 });
    const die = () => machine.tell(`systemctl kill --kill-who=main --signal=KILL ${unitOf("web-1-0")}`);
    const ended = async () => {
      const found = await find("web-1-0");
      return [found?.restarts, found?.state, found?.lastExit?.isOutOfMemory];
    };
    await say("memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 0\n");
    await die();
    await expect.poll(ended).toEqual([1, "running", true]);
    expect((await find("web-1-0"))?.cpuMs).toBe(0);
    await die();
    await expect.poll(ended).toEqual([2, "running", false]);
    await machine.tell(`rm -r ${group}; mount -o remount,ro /sys/fs/cgroup`);
    await stop("web-1-0");
  });
});

describe("a command on a server with systemd", () => {
  /** Runs a job in a unit of the project. @returns all that the helper answers */
  const runJob = (
    unit: { readonly kind: "build" | "command" | "job"; readonly number: number; readonly marker: string },
    job: string,
  ) => {
    const limits = { memory_mb: null, cpu_weight: 100, tasks: 4096 };
    const request: HelperRequest = {
      ...({ verb: "run", project: shop, version: 1 } as const),
      ...unit,
      ...limits,
      job_bytes: Buffer.byteLength(job),
    };
    return connectToHelper(
      machine,
      `write(${JSON.stringify(`${JSON.stringify(request)}\n${job}`)});
       socket.on("data", (data) => String(data).startsWith("output ") && write("go\\n"));`,
    );
  };

  /** Counts the stop signals that it gets, and takes its time to end. */
  const count = (log: string) =>
    `const { appendFileSync } = require("node:fs"); const print = (text) => appendFileSync("${log}", text); let count = 0; process.on("SIGTERM", () => (count += 1) === 1 && setTimeout(() => { print("ended by " + count); process.exit(); }, 1000)); setInterval(() => undefined, 1e6); print("ready, ");`;

  // The shell ends first, and leaves its program.
  it.for([
    ["build", { verb: "end_build", project: shop }],
    ["command", { verb: "end_run", project: shop, marker: "count" }],
    ["job", { verb: "end_job", project: shop, marker: "count" }],
  ] as const)("gets the stop signal once: a %s", async ([kind, stopRequest]) => {
    const log = `${folderOf(shop)}/home/${kind}.log`;
    const job = `exec sh -c '/usr/local/bin/node -e "$0"; true' '${count(log)}'\n`;
    const ran = runJob({ kind, number: 1, marker: "count" }, job);
    await expect.poll(async () => (await machine.run(`cat ${log}`)).output).toBe("ready, ");
    expect(await askHelper(machine, stopRequest)).toMatch(/^ended sh\/\d+ \w+\/\d+/);
    expect(await machine.tell(`cat ${log}`)).toBe("ready, ended by 1");
    await ran;
  });

  it("gets it once too if its shell has ended long ago", async () => {
    const log = `${folderOf(shop)}/home/left.log`;
    const job = `exec sh -c '/usr/local/bin/node -e "$0" &' '${count(log)}'\n`;
    const answers = await runJob({ kind: "command", number: 2, marker: "left" }, job);
    expect(answers).toContain("end success 1 0 yes\n");
    await expect.poll(async () => (await machine.run(`cat ${log}`)).output).toBe("ready, ");
    expect(await askHelper(machine, { verb: "end_run", project: shop, marker: "left" })).toMatch(
      /^ended \w+\/\d+\n$/,
    );
    expect(await machine.tell(`cat ${log}`)).toBe("ready, ended by 1");
  });
});

describe("a project that changes its own files", () => {
  it("cannot lead the output of its instances out of its own folders", async () => {
    const log = `${folderOf(shop)}/logs/web-1-0.log`;
    await machine.tell(`rm -f ${log}; ln -s ${HOME}/agent.json ${log}; chown -h ${shop} ${log}`);
    const before = await machine.tell(`sha256sum ${HOME}/agent.json`);
    await start("web-1-0", "echo printed; exec sleep 1000");
    expect(await machine.tell(`sha256sum ${HOME}/agent.json`)).toBe(before);
    expect((await find("web-1-0"))?.state).toBe("running");
    await stop("web-1-0");
    await machine.tell(`rm ${log}; mv ${folderOf(shop)}/logs /srv/logs; ln -s /etc ${folderOf(shop)}/logs`);
    expect(await supervisor().start(spec("web-1-0", "exec sleep 1000"))).toEqual({
      ok: false,
      reason: "the isolation helper: a link leads out of the project",
    });
    expect(await machine.tell("stat -c %U:%a /etc")).toBe("root:755");
    await machine.tell(`rm ${folderOf(shop)}/logs; mv /srv/logs ${folderOf(shop)}/logs`);
  });

  it("has its output in a file that only it and the agent can read and shorten", async () => {
    await start("web-1-0", "umask; echo printed; exec sleep 1000");
    await expect.poll(() => logOf("web-1-0")).toContain("printed");
    expect(await logOf("web-1-0")).toContain("0022");
    const log = `${folderOf(shop)}/logs/web-1-0.log`;
    expect(await machine.tell(`stat -c %U:%G:%a ${log}`)).toBe(`${shop}:gantry-isolate:660`);
    await machine.tell(
      `setpriv --reuid=gantry --regid=gantry --groups=gantry-isolate sh -c 'truncate -s 0 ${log} && rm ${log}'`,
    );
    await stop("web-1-0");
  });
});

describe("the isolation helper", () => {
  it("refuses a job that is too large or incomplete, and a release that is not there", async () => {
    const large = startRequest({ version: 1, job_bytes: 1_000_001 });
    expect(await askHelper(machine, large)).toMatch(/^refused: the command and its variables are larger/);
    expect(await askHelper(machine, startRequest({ version: 9, job_bytes: 4 }), "true")).toBe(
      "refused: the project has no folder releases/9\n",
    );
    // As much as fits, and each as long as the kernel allows.
    const long = Object.fromEntries(
      ["A", "B", "C", "D", "E", "F", "G"].map((key) => [key, "x".repeat(130_000)]),
    );
    const { command } = spec("web-1-0", "exec sleep 1000");
    await start("web-1-0", "", { command: { ...command, env: { ...command.env, ...long } } });
    await expect.poll(async () => machine.tell(`cat /proc/${await pidOf("web-1-0")}/comm`)).toBe("sleep");
    await stop("web-1-0");
  });

  it("answers for twenty instances with few programs", async () => {
    const names = Array.from({ length: 20 }, (_, n) => `web-1-${n}`);
    await Promise.all(names.map((name) => start(name, "exec sleep 1000")));
    // The machine numbers its processes by itself, in sequence.
    const newestPid = async () => Number(await machine.tell("echo $$"));
    const before = await newestPid();
    for (let n = 0; n < 20; n += 1) await list();
    const started = (await newestPid()) - before;
    expect(started).toBeLessThan(20 * 15);
    expect((await list()).length).toBe(20);
    // A unit that root stops is not listed either.
    await machine.tell(`systemctl stop ${unitOf("web-1-0")}`);
    expect((await list()).length).toBe(19);
    await Promise.all(names.map((name) => stop(name)));
  });

  it("ends the instances of a project that is removed, however long they would take", async () => {
    await makeRelease(other);
    await start("web-1-0", "trap '' TERM; sleep 1002; sleep 1002", { project: other, stop_seconds: 600 });
    expect(await askHelper(machine, { verb: "remove", project: other })).toBe("ok\n");
    expect((await machine.run("pgrep -f '^sleep 1002'")).code).toBe(1);
    expect(await leftOver()).toBe("");
  });
});

describe("a server with instances", () => {
  it("has nothing of them after a reboot", async () => {
    await start("web-1-0", "exec sleep 1000");
    await machine.reboot();
    expect(await list()).toEqual([]);
    expect(await leftOver()).toBe("");
  });

  it("has none when the agent was uninstalled", async () => {
    await start("web-1-0", "exec sleep 1000");
    await machine.tell(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --uninstall`);
    expect((await machine.run("pgrep -f '^sleep 1000'")).code).toBe(1);
    expect(await leftOver()).toBe("");
    expect(
      (await machine.run("ls -d /etc/systemd/system/gantry-*-.service.d /run/gantry*")).output,
    ).not.toMatch(/^\//m);
  });
});
