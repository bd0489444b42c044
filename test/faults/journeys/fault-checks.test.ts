import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { AGENT_CONNECT_PATH } from "#contract/endpoints/agents/endpoints.ts";
import { DeploymentId } from "#contract/ids.ts";
import { LogPage } from "#contract/endpoints/logs/schemas.ts";

import { eventually } from "../../support/faults/eventually.ts";
import type { Host } from "../../support/faults/host.ts";
import { createInstallation, type Installation } from "../../support/faults/installation.ts";
import { siteViolations, systemViolations } from "../../support/faults/invariants/check.ts";
import { eventViolations } from "../../support/faults/invariants/events.ts";
import { deploymentViolations, readDeployments } from "../../support/faults/invariants/deployments.ts";
import { logViolations } from "../../support/faults/invariants/logs.ts";
import { processViolations } from "../../support/faults/invariants/processes.ts";
import { waitingViolations, logObjectViolations } from "../../support/faults/invariants/stored-state.ts";
import { acknowledgedKey } from "../../support/faults/ledger.ts";
import { followLog } from "../../support/faults/log-follower.ts";
import { deployNext } from "../../support/faults/points/deploy-next.ts";
import { signal } from "../../support/faults/processes.ts";
import { startedOf } from "../../support/faults/requests.ts";
import { createSite, sendVisitor, type Site } from "../../support/faults/site.ts";
import { removeHome } from "../../support/journey-system.ts";

// The checks of faults.test.ts and of npm run chaos must detect broken promises: here each kind is broken on purpose.

let installation: Installation;
let host: Host;
let site: Site;

beforeAll(async () => {
  installation = await createInstallation();
  host = await installation.addServer("alpha");
  site = await createSite(installation, host, "broken");
  for (let count = 0; count < 2; count += 1) await deployNext({ installation, host, site });
  await sendVisitor(installation, site);
});
afterAll(async () => {
  await site.visitor?.leave();
  await installation.stop();
  await removeHome(installation.home);
});

const look = async (): Promise<string> =>
  [...(await siteViolations(installation, site)), ...(await systemViolations(installation, [site]))].join(
    "\n",
  );
const isFound = (text: RegExp) => expect.poll(look, { interval: 100 }).toMatch(text);
const allHolds = () => expect.poll(look, { interval: 100 }).toBe("");
const inProject = (...parts: string[]) => join(host.home, "projects", site.projectId, ...parts);

/** Breaks something, expects a finding, repairs it, and expects no findings. */
async function expectFound(text: RegExp, breakIt: () => unknown, repair: () => unknown): Promise<void> {
  await allHolds();
  try {
    await breakIt();
    await isFound(text);
  } finally {
    await repair();
  }
  await allHolds();
}

describe("the check of deployments finds", () => {
  const listed = () => readDeployments(installation, site.projectId);
  const found = async (change: (all: Awaited<ReturnType<typeof listed>>) => typeof all) =>
    deploymentViolations(installation, site, change(await listed())).join("\n");

  it("a deployment that got a 201 and is not listed", async () => {
    const { projectId } = site;
    const id = "dpl_lost";
    await expectFound(
      /dpl_lost \(v9\) got a 201 and is not listed/,
      () => installation.ledger.accept({ id, projectId, version: 9 }),
      () => installation.ledger.forget([id]),
    );
  });

  it("a deployment that is listed twice, has another version than in its 201, or never got a 201", async () => {
    expect(await found((all) => [...all, ...all])).toContain("is listed twice");
    expect(await found((all) => all.map((one) => ({ ...one, version: one.version + 7 })))).toContain(
      "and is listed as v8",
    );
    expect(
      await found((all) => [
        ...all,
        ...all.map((one) => ({
          ...one,
          id: DeploymentId.parse(`${one.id.slice(0, -1)}${one.id.endsWith("0") ? "1" : "0"}`),
        })),
      ]),
    ).toMatch(/2 deployments are listed that no client received[^]*versions repeat/);
  });

  it("two live deployments, no live deployment, or one without evidence", async () => {
    const withStatus = (status: "live" | "superseded") =>
      found((all) => all.map((one) => ({ ...one, status })));
    expect(await withStatus("live")).toContain("2 deployments are live");
    expect(await withStatus("superseded")).toContain("none is live, although one was");
    expect(await found((all) => all.map((one) => ({ ...one, evidence: null })))).toContain(
      "without evidence",
    );
    const failed = found((all) => all.map((one) => ({ ...one, status: "failed" as const })));
    expect(await failed).toContain("failed without a reason");
  });

  it("an event that the webhook has not received, or that its deployment does not have", async () => {
    const all = await listed();
    const violations = (received: ReadonlySet<number>, status: "live" | "failed") =>
      eventViolations(
        { api: installation.api, received },
        site,
        all.map((one) => ({ ...one, status })),
      );
    expect((await violations(new Set(), "live")).join()).toContain("the webhook has not received event");
    expect((await violations(installation.received, "failed")).join()).toMatch(
      /is failed, and its events say deployment.live/,
    );
  });

  it("a deployment without a verdict", async () => {
    let id = "";
    await expectFound(
      /has no verdict/,
      async () => {
        await site.source.gate.hold("build");
        ({ id } = startedOf(await installation.requests.start(site.projectId)));
        await site.source.gate.reached("build");
        expect(await look()).toMatch(/the agent of alpha still has sh[^]*still has \d+ in log_heads/);
      },
      async () => {
        await site.source.gate.open();
        await installation.api.ended(id);
      },
    );
  });

  it("a canceled deployment that is live, and a deleted deployment that is listed", async () => {
    const [live] = await listed();
    const accepted = installation.ledger.accepted.get(live?.id ?? "");
    if (accepted === undefined) throw new Error("no deployment is live");
    await expectFound(
      /was canceled, and is live\n.*was canceled, and its agent switched to it/,
      () => installation.ledger.canceled.add(accepted.id),
      () => installation.ledger.canceled.delete(accepted.id),
    );
    await expectFound(
      /was deleted and is listed/,
      () => (accepted.isDeleted = true),
      () => (accepted.isDeleted = false),
    );
  });

  it("that the next deployment fails", async () => {
    const next = deployNext({ installation, host, site }, { build: "exit 1" });
    await expect(next).rejects.toThrow("did not go live");
  });
});

describe("the check of logs finds a line", () => {
  type Lines = LogPage["lines"];
  async function found(change: (lines: Lines) => Lines, acknowledged = 0): Promise<string> {
    const live = (await readDeployments(installation, site.projectId)).find(
      ({ status }) => status === "live",
    );
    if (live === undefined) throw new Error("no deployment is live");
    const api: typeof installation.api = {
      ...installation.api,
      async call(...request) {
        const response = await installation.api.call(...request);
        const page = LogPage.parse(response.json);
        return { ...response, json: { ...page, lines: change(page.lines) } };
      },
    };
    const key = acknowledgedKey(live.id, live.server_id);
    const ledger = { ...installation.ledger, acknowledged: new Map([[key, acknowledged]]) };
    return (await logViolations({ api, ledger }, site, live)).join("\n");
  }
  const renumbered = (lines: Lines): Lines => lines.map((line, index) => ({ ...line, line: index + 1 }));
  const isFifth = ({ message }: Lines[number]): boolean => message === "line 5";

  it("that is missing, doubled or in the wrong place", async () => {
    expect(await found((lines) => lines)).toBe("");
    const without = (lines: Lines): Lines => lines.filter((line) => !isFifth(line));
    expect(await found(without)).toMatch(/is numbered[^]*the build printed 20 lines, and 19 are there/);
    expect(await found((lines) => renumbered(without(lines)))).toContain("the build's line 5 is 6");
    const doubled = (lines: Lines): Lines => lines.flatMap((line) => (isFifth(line) ? [line, line] : [line]));
    expect(await found((lines) => renumbered(doubled(lines)))).toContain("the build's line 6 is 5");
    const late = (lines: Lines): Lines => [...without(lines), ...lines.filter(isFifth)];
    expect(await found((lines) => renumbered(late(lines)))).toContain("the build's line 5 is 6");
  });

  it("that was acknowledged and is missing, and a log without its end", async () => {
    expect(await found((lines) => lines, 999)).toContain("999 lines were acknowledged, and 20 are there");
    expect(await found((lines) => lines.filter(({ message }) => message !== "built"))).toContain(
      "the end of its build is not in the log",
    );
    expect(await found((lines) => lines.filter(({ stage }) => stage !== "end"))).toContain("how it ended");
  });
});

describe("the check of a followed log finds", () => {
  /** @param ids the lines that a server sends on each connection */
  async function follow(...ids: readonly number[]): Promise<string | null> {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const about = { time: "2026-01-01T00:00:00.000Z", stream: "stdout", stage: "build", message: "x" };
      for (const line of ids) response.write(`id: ${line}\ndata: ${JSON.stringify({ line, ...about })}\n\n`);
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : null;
    const follower = followLog(`http://127.0.0.1:${port}`, "token", "dpl_followed");
    await eventually("it was followed", () => follower.violation !== null);
    await follower.leave();
    server.close();
    return follower.violation;
  }

  it("a line that is missing, or repeated after the stream was cut", async () => {
    expect(await follow(1, 2, 4)).toBe("line 4 follows line 2");
    expect(await follow(1, 2)).toBe("line 1 follows line 2");
  });
});

describe("the check of the served site finds", () => {
  it("a failed request, also after later requests have succeeded", async () => {
    await allHolds();
    const before = host.sites.pid();
    signal(before, "SIGKILL");
    await isFound(/visitors' requests failed: .*ECONN/);
    await eventually("the site server is started again", () => ![null, before].includes(host.sites.pid()));
    await host.sitesUp();
    await isFound(/visitors' requests failed/);
    await site.visitor?.leave();
    await sendVisitor(installation, site);
    await allHolds();
  });

  it("a page that is not one complete release", async () => {
    const page = inProject(await readlink(inProject("current")), "index.html");
    const whole = await readFile(page, "utf8");
    await writeFile(page, whole.slice(0, 20_000));
    await isFound(/a page that is not one complete release[^]*the page of .* is not whole/);
    await writeFile(page, whole);
    await site.visitor?.leave();
    await sendVisitor(installation, site);
    await allHolds();
  });

  it("a release that is not the live one", async () => {
    const target = await readlink(inProject("current"));
    const pointTo = async (to: string): Promise<void> => {
      await symlink(to, inProject("current.new"));
      await rename(inProject("current.new"), inProject("current"));
    };
    await expectFound(
      /current points to releases\/1, and \S+ is live here[^]*is served, and[^]*is live[^]*visitors see broken-2, but/,
      () => pointTo("releases/1"),
      () => pointTo(target),
    );
  });
});

describe("the check of leftovers finds", () => {
  it.each([
    ["a temporary file", "tmp/half", /tmp\/half is left over/],
    ["spooled output", "spool/run.ndjson", /spool lies in the project's folder/],
    ["a journal of a run", "run.json", /run\.json lies in the project's folder/],
    ["an incomplete release", "releases/99/index.html", /releases\/99 is half of a release/],
    ["a file beside the projects", "../../core", /core lies in the home of alpha/],
  ])("%s", async (_what, name, text) => {
    const path = inProject(name);
    await expectFound(
      text,
      async () => {
        await mkdir(join(path, ".."), { recursive: true });
        await writeFile(path, "");
      },
      async () => {
        await rm(path);
        if (/^(?:spool|releases)\//.test(name)) await rm(join(path, ".."), { recursive: true });
      },
    );
  });

  it("more releases than keep_releases", async () => {
    const { keepReleases } = site;
    await expectFound(
      /3 releases are kept, and not 2/,
      () => (site.keepReleases = 2),
      () => (site.keepReleases = keepReleases),
    );
  });

  it("a process of a run", async () => {
    let left: ChildProcess | null = null;
    await expectFound(
      /a process of a run is left: \d+ sleep 300/,
      () => (left = spawn("sleep", ["300"], { env: { GANTRY_RUN_ID: "run_x", HOME: installation.home } })),
      async () => {
        if (left === null) return;
        const ended = once(left, "exit");
        left.kill("SIGKILL");
        await ended;
      },
    );
  });

  it("an object in R2 without a deployment, and a deployment without its object", async () => {
    const listed = await readDeployments(installation, site.projectId);
    expect(logObjectViolations(installation, listed)).toEqual([]);
    expect(logObjectViolations(installation, listed.slice(1))).toEqual([expect.stringContaining("R2 holds")]);
    const more = listed.map((one) => ({
      ...one,
      id: DeploymentId.parse(`${one.id.slice(0, -1)}${one.id.endsWith("0") ? "1" : "0"}`),
    }));
    expect(logObjectViolations(installation, [...listed, ...more.slice(1)])).toContainEqual(
      expect.stringContaining("R2 has no"),
    );
  });

  it("a pending message in a lane, and the folder of a purged project", async () => {
    const other = await createSite(installation, host, "purged");
    await deployNext({ installation, host, site: other });
    await host.signalAgent("SIGTERM");
    expect(await installation.requests.deleteProject(other.projectId, true)).toBe(204);
    other.deletion = "purged";
    await expect
      .poll(() => waitingViolations(installation).join("\n"))
      .toContain("waits for a server to remove its project");
    expect(await siteViolations(installation, other)).toEqual([
      "purged was purged, but alpha has its folder",
    ]);
    await host.startAgent();
    await expect.poll(() => siteViolations(installation, other)).toEqual([]);
    await allHolds();
  });
});

describe("the check of apps finds", () => {
  let app: Site;
  beforeAll(async () => {
    app = await createSite(installation, host, "app", {}, true);
    await deployNext({ installation, host, site: app });
    await sendVisitor(installation, app);
  });
  afterAll(async () => {
    await app.visitor?.leave();
    expect(await installation.requests.deleteProject(app.projectId, true)).toBe(204);
  });

  const found = async (change: Partial<Site> = {}): Promise<string> =>
    [
      ...(await siteViolations(installation, { ...app, ...change })),
      ...(await processViolations(installation)),
    ].join("\n");
  const appHolds = () => expect.poll(() => found(), { interval: 100 }).toBe("");
  const inApp = (...parts: string[]) => join(host.home, "projects", app.projectId, ...parts);

  it("an instance that runs and need not", async () => {
    await appHolds();
    const left = spawn("sleep", ["300"], {
      cwd: inApp("releases/1"),
      env: { GANTRY_RUN_ID: `app-${app.projectId}-web-9-0` },
    });
    await expect
      .poll(() => found())
      .toMatch(/web-1-0, web-9-0, worker-1-0 runs, and web-1-0, worker-1-0 must[^]*web-9-0 of .* need not/);
    const ended = once(left, "exit");
    left.kill("SIGKILL");
    await ended;
  });

  it("a slot that leads elsewhere, and a state that is not true yet", async () => {
    await appHolds();
    const slot = join(host.home, "slots", app.projectId, "3");
    const address = await readFile(slot, "utf8");
    await writeFile(slot, "127.0.0.1:1");
    await writeFile(inApp("desired.next.json"), "{}");
    expect(await found()).toMatch(/desired\.next\.json lies in[^]*slots lead to 127\.0\.0\.1:1, 127/);
    await writeFile(slot, address);
    await rm(inApp("desired.next.json"));
    await appHolds();
  });

  it("instances on a server where nothing is live", async () => {
    expect(await found({ isApp: false })).toMatch(/instance web-1-0 is left[^]*slots are left/);
  });

  it("a visitor who has seen a release that did not get ready", async () => {
    const { marker } = await app.source.commit({ start: "exit 3" });
    const { id } = startedOf(await installation.requests.start(app.projectId));
    expect((await installation.api.ended(id)).status).toBe("failed");
    await appHolds();
    const { visitor } = app;
    if (visitor === null) throw new Error("there is no visitor");
    expect(await found({ visitor: { ...visitor, markers: new Set([marker]) } })).toContain("never got ready");
  });
});

describe("the proxy of an agent's link", () => {
  it("passes a refused connection on with its body, which tells the agent to give up", async () => {
    const socket = new WebSocket(`${host.link.url.replace(/^http/, "ws")}${AGENT_CONNECT_PATH}`, {
      headers: { authorization: "Bearer no-credential" },
    });
    const response = await new Promise<IncomingMessage>((resolve) =>
      socket.once("unexpected-response", (_request, refused) => resolve(refused)),
    );
    const body = await readText(response);
    expect(response.statusCode).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ code: "invalid_token" });
  });
});
