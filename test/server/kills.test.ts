import { once } from "node:events";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { openSocket, startLoad } from "../support/load/load.ts";
import { AppServer } from "./support/app-server.ts";
import { onlyLiveRuns } from "./support/app-state.ts";
import { loadAppText } from "./support/apps/load-app.ts";
import { StepGates } from "./support/step-gates.ts";

/** A project for each step of a switch, whose next deployment stops at the step. */
const waitingSteps = ["build", "release", "start", "verify"] as const;
/** Steps after the verdict, which end by themselves. */
const lateSteps = ["drain", "stop"] as const;
const steps = [...waitingSteps, ...lateSteps] as const;
type Step = (typeof steps)[number];

const command = "node app.cjs $GANTRY_INSTANCE";
/** Its shell does not end at its signal, so a stop takes as long as it may. */
const endless = `trap '' TERM; ${command} & while :; do sleep 1; done`;

let server: AppServer;
let gates: StepGates;
let steady: Project;
let projects: Readonly<Record<Step, Project>>;
beforeAll(async () => {
  [server, gates] = await Promise.all([AppServer.start({ ingress: true }), StepGates.create()]);
  const path = { health_check: { path: "/", interval_seconds: 0.2 } };
  steady = await deployApp("steady", path);
  projects = {
    build: await deployApp("build", { ...path, build_command: gates.waitAt("build") }),
    release: await deployApp("release", { ...path, release_command: gates.waitAt("release") }),
    start: await deployApp("start", path, `${gates.waitAt("start")}; exec ${command}`),
    verify: await deployApp("verify", {
      health_check: { url: gates.urlOf("verify"), tries: 60, interval_seconds: 0.5 },
    }),
    drain: await deployApp("drain", { ...path, drain_seconds: 10 }),
    stop: await deployApp(
      "stop",
      { ...path, drain_seconds: 0, processes: { web: { stop_seconds: 10 } } },
      endless,
    ),
  };
});
afterAll(async () => {
  gates.close();
  await server.close();
});

/** Creates a project whose app answers with the name of its instance. */
async function deployApp(
  name: string,
  settings: Readonly<Record<string, unknown>>,
  web = `exec ${command}`,
): Promise<Project> {
  const files = { "app.cjs": loadAppText(), Procfile: `web: ${web}\n` };
  const project = await server.createProject(name, files, { domain: `${name}.localhost`, ...settings });
  await server.expectLive(project.id);
  return project;
}

const run = (line: string) => async () => void (await server.machine.tell(line));
/** A helper may end between systemctl's list of units and its signal, which systemctl calls an error. */
const KILL_HELPERS = "systemctl kill --signal=KILL 'gantry-isolate@*' || true";

describe("At each step of a switch, what is live answers and nothing else runs after", () => {
  it.each<[string, () => Promise<void>]>([
    ["the instances are killed", run("systemctl kill --signal=KILL 'gantry-app-proj*'")],
    ["the agent is killed", run("systemctl kill --kill-who=main --signal=KILL gantry-agent")],
    ["the agent is restarted", run("systemctl restart gantry-agent")],
    ["the helper is killed", run(KILL_HELPERS)],
    ["the ingress is killed", run("systemctl kill --signal=KILL gantry-ingress")],
    ["the machine is rebooted", () => server.machine.reboot()],
    ["the power is cut", () => server.machine.cutPower()],
  ])("%s", async (_, kill) => {
    const { api } = server;
    gates.shut();
    const target = await server.target(projects.drain.domain);
    const socket = openSocket(target);
    socket.on("error", () => undefined);
    await once(socket, "open");
    const start = (some: readonly Step[]) => Promise.all(some.map((step) => api.start(projects[step].id)));
    const waiting = await start(waitingSteps);
    await gates.reached(waitingSteps);
    const late = await start(lateSteps);
    for (const { id } of late) await server.becomesLive(id);
    const stopping = `systemctl list-units --plain --no-legend --state=deactivating 'gantry-app-${projects.stop.id}-*'`;
    await expect.poll(() => server.machine.tell(stopping)).not.toBe("");
    await kill();
    gates.open();
    await Promise.all(waiting.map(({ id }) => api.ended(id)));
    for (const step of steps) {
      const { live, wanted } = await onlyLiveRuns(server, projects[step]);
      expect(wanted).toEqual([`web-${live}-0`]);
      await expect.poll(() => server.ask(projects[step].domain)).toBe(`web-${live}-0 GET 0`);
    }
    const commands = "systemctl list-units --all --plain --no-legend 'gantry-build-*' 'gantry-command-*'";
    await expect.poll(() => server.machine.tell(commands)).toBe("");
    socket.terminate();
  });
});

describe("No request is lost while", () => {
  it.each<[string, string]>([
    ["the agent is killed", "systemctl kill --kill-who=main --signal=KILL gantry-agent"],
    ["the agent is restarted", "systemctl restart gantry-agent"],
    ["the helper is killed", KILL_HELPERS],
  ])("%s", async (_, line) => {
    const load = startLoad(await server.target(steady.domain), 20);
    await load.answeredBy("web-1-0");
    await server.machine.tell(line);
    await load.answeredBy("web-1-0");
    expect(await load.stop()).toMatchObject({ failures: {}, cutSockets: 0 });
    await onlyLiveRuns(server, steady);
  });
});
