import { rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { endPause, writePause } from "#agent/ingress/pause-files.ts";
import { setMaintenance, slotFiles, writeSlots } from "#agent/ingress/slots.ts";
import { createSiteRegistry, type SiteRegistry } from "#agent/sites/site-registry.ts";
import { createSiteStore } from "#agent/sites/site-store.ts";
import { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";

import { freePort } from "../../../support/free-port.ts";
import { startLoad } from "../../../support/load/load.ts";
import { type LoadApp, startLoadApp } from "../../../support/load/load-app.ts";
import { createWorkspace, rawRequest, type Workspace } from "../../../agent/sites/workspace.ts";

const PROJECT = ProjectId.parse("proj_01ec6z1k2g7m3p8r9t0v5w4x2y");
const app = { root_directory: ".", output_directory: ".", published: false } as const;

let workspace: Workspace;
let registry: SiteRegistry;
let slots: string;
let url: string;
let apps: LoadApp[];
beforeEach(async () => {
  workspace = await createWorkspace();
  const home = dirname(workspace.directory);
  slots = join(home, "slots");
  const log = () => undefined;
  registry = createSiteRegistry({
    store: createSiteStore(home, log),
    slots,
    firstPort: await freePort(),
    log,
  });
  await registry.reopen();
  await workspace.addRelease(1, { "index.html": "source" }, app);
  await workspace.switchTo(1);
  const site = { domain: "shop.localhost", aliases: [], content: { kind: "app" } };
  await writeFile(join(workspace.directory, "site.json"), JSON.stringify(site));
  url = await registry.put(PROJECT, workspace.directory);
  apps = [];
});
afterEach(async () => {
  await registry.close();
  for (const { child } of apps) child.kill("SIGKILL");
  await workspace.remove();
});

async function start(name: string): Promise<LoadApp> {
  const started = await startLoadApp(name);
  apps.push(started);
  return started;
}
const lead = (...to: LoadApp[]) =>
  writeSlots(
    slots,
    PROJECT,
    to.map(({ address }) => address),
  );
const get = (path = "/", headers: Record<string, string> = {}) => rawRequest(url, path, { headers });

describe("The site server leads a project with slots to its app", () => {
  it("and loses no request while the slots change and the old instance ends", async () => {
    let now = await start("v1");
    await lead(now);
    const load = startLoad({ port: Number(new URL(url).port), domain: "shop.localhost" }, 30);
    await load.answeredBy("v1");
    for (const name of ["v2", "v3"]) {
      const next = await start(name);
      await lead(next);
      await load.answeredBy(name);
      await now.end();
      now = next;
    }
    await load.answeredBy("v3");
    await load.echoedBy("v3");
    const { ok, answers, failures, cutSockets } = await load.stop();
    expect(failures).toEqual({});
    expect(cutSockets).toBe(0);
    expect(Object.keys(answers)).toEqual(expect.arrayContaining(["v1", "v2", "v3", "v3 by WebSocket"]));
    expect(ok).toBeGreaterThan(100);
  });

  it("and waits while an instance starts again, also with a POST", async () => {
    const port = await freePort();
    await writeSlots(slots, PROJECT, [`127.0.0.1:${port}`]);
    const post = fetch(url, { method: "POST", body: "hello" });
    const posted = post.then((answer) => answer.text());
    await pause(300);
    // In this process, which listens at once: a new one may take longer on a busy machine than a visitor waits.
    const instance = createServer((request, response) => {
      void text(request).then((body) => response.end(`${request.method} ${body}`));
    });
    await new Promise<void>((resolve) => instance.listen(port, "127.0.0.1", resolve));
    expect(await posted).toBe("POST hello");
    instance.close();
  });

  it("and says so if no instance accepts a connection for 5 s", async () => {
    const port = await freePort();
    await writeSlots(slots, PROJECT, [`127.0.0.1:${port}`]);
    const answer = await get();
    expect(answer.status).toBe(502);
    expect(answer.headers["retry-after"]).toBe("10");
  });

  it("and tells the app who asks, whatever the visitor claims", async () => {
    await lead(await start("v1"));
    const { body } = await get("/headers", {
      host: "shop.example.com",
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-proto": "https",
      connection: "x-secret",
      "x-secret": "hop",
      "x-other": "kept",
    });
    expect(JSON.parse(body)).toEqual({
      host: "shop.example.com",
      "x-other": "kept",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "shop.example.com",
      "x-forwarded-proto": "http",
      connection: "close",
    });
  });

  it("and sends a file of an earlier release that the app does not have, if its name has a hash", async () => {
    await workspace.addAssets(7, {
      "missing/app-1a2b3c4d.js": "kept",
      "headers-1a2b3c4d.js": "kept",
      "missing/old.js": "old",
    });
    await lead(await start("v1"));
    const { status, headers, body } = await get("/missing/app-1a2b3c4d.js?a=b");
    expect([status, headers["gantry-release"], headers["set-cookie"], body]).toEqual([
      200,
      "7",
      undefined,
      "kept",
    ]);
    expect(headers["content-type"]).toContain("javascript");
    expect((await get("/headers-1a2b3c4d.js")).body).toBe("v1 GET 0");
    for (const path of ["/missing/old.js", "/missing/app-1a2b3c4e.js"])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    const posted = await rawRequest(url, "/missing/app-1a2b3c4d.js", { method: "POST" });
    expect(posted).toMatchObject({ status: 404, body: "v1 POST 0" });
  });

  it("and passes on events as they are sent", async () => {
    await lead(await start("v1"));
    const reader = (await fetch(`${url}/events`)).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe("data: first\n\n");
    await reader?.cancel();
  });

  it("and passes on what the app answers to a WebSocket that it refuses", async () => {
    await lead(await start("v1"));
    const socket = new WebSocket(`${url.replace("http", "ws")}/other`);
    const refusal = await new Promise<string>((resolve) =>
      socket.once("error", ({ message }) => resolve(message)),
    );
    expect(refusal).toContain("403");
  });

  it("and answers a request that offers another protocol as an ordinary one, without an app too", async () => {
    await workspace.addRelease(2, { "index.html": "published" });
    await workspace.switchTo(2);
    const { status, body } = await get("/", { connection: "Upgrade", upgrade: "h2c" });
    expect([status, body]).toEqual([200, "published"]);
  });

  it("but not while it is stopped, paused or in maintenance, except for the agent's check", async () => {
    const running = await start("v1");
    await lead(running);
    const check = { "user-agent": "gantry-health-check" };
    await setMaintenance(slots, PROJECT, "<h1>Back at noon</h1>");
    expect(await get()).toMatchObject({ status: 503, body: "<h1>Back at noon</h1>" });
    expect((await get("/", check)).body).toBe("v1 GET 0");
    await setMaintenance(slots, PROJECT, null);

    const files = slotFiles(slots, PROJECT);
    await writePause(files, Date.now(), Date.now() + 20_000);
    const held = fetch(url, { method: "POST", body: "hello" });
    expect(await Promise.race([held, pause(400)])).toBeUndefined();
    expect((await get("/", check)).body).toBe("v1 GET 0");
    await endPause(files);
    expect(await (await held).text()).toBe("v1 POST 5");

    await lead();
    expect(await get()).toMatchObject({ status: 503, body: expect.stringContaining("has been stopped") });
  });

  it("and ends the request to the app when the visitor leaves", async () => {
    const closed = Promise.withResolvers<void>();
    const far: Server = createServer((request) => void request.once("close", () => closed.resolve()));
    await new Promise<void>((resolve) => far.listen(0, "127.0.0.1", resolve));
    const address = far.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await writeSlots(slots, PROJECT, [`127.0.0.1:${port}`]);
    const visitor = connect(Number(new URL(url).port), "127.0.0.1");
    visitor.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const reached = new Promise((resolve) => far.once("request", resolve));
    await reached;
    visitor.destroy();
    await closed.promise;
    far.close();
  });

  it.each(["HTTP/1.1 042 Odd", "HTTP/1.1 200 O\u0001K", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x"])(
    "and says so if the app answers %j, which cannot be passed on",
    async (head) => {
      const odd = createTcpServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.end(`${head}\r\nConnection: upgrade\r\n\r\n`));
      });
      await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
      const address = odd.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      await writeSlots(slots, PROJECT, [`127.0.0.1:${port}`]);
      expect((await get()).status).toBe(502);
      odd.close();
    },
  );

  it("and passes a body on as one, whatever the visitor says about the connection", async () => {
    const received = Promise.withResolvers<string>();
    const odd = createTcpServer((socket) => {
      let head = "";
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        head += chunk.toString("latin1");
        if (!head.includes("smuggled")) return;
        received.resolve(head);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
    const address = odd.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await writeSlots(slots, PROJECT, [`127.0.0.1:${port}`]);
    const body = "GET /smuggled HTTP/1.1\r\n\r\n";
    const visitor = connect(Number(new URL(url).port), "127.0.0.1");
    visitor.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: content-length, host\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const head = await received.promise;
    expect(head).toContain(`Content-Length: ${body.length}\r\n`);
    expect(head).toContain("Host: x\r\n");
    visitor.destroy();
    odd.close();
  });

  it("and closes its WebSockets when it stops serving the project", async () => {
    await lead(await start("v1"));
    const socket = new WebSocket(`${url.replace("http", "ws")}/socket`);
    await new Promise((resolve) => socket.once("open", resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await registry.remove(PROJECT);
    await closed;
  });

  it("unless nothing leads to the app: its activate command has started it", async () => {
    await rm(slots, { recursive: true, force: true });
    expect(await get()).toMatchObject({ status: 503, body: expect.stringContaining("activate_command") });
  });
});
