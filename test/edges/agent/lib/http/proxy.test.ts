import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { chooseProxy } from "#agent/main/choose-proxy.ts";

import { type AgentProcess, spawnAgent } from "../../../../agent/support/agent-process.ts";
import {
  type ConnectProxy,
  type ConnectProxyOptions,
  startConnectProxy,
} from "../../../../agent/support/connect-proxy.ts";
import { createCertificate, type TestCertificate } from "../../../../support/git-server.ts";
import { World } from "../../../../agent/support/harness.ts";
import { listenLocally } from "../../../../support/listen.ts";

/** A host name that only the proxy can resolve. */
const NAME = "control.gantry.test";
const LOGIN = "agent:p%40ss";

const folder = mkdtempSync(join(tmpdir(), "gantry-proxy-"));
let certificate: TestCertificate;
beforeAll(() => {
  certificate = createCertificate(folder, NAME);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let world: World;
let agent: AgentProcess | null = null;
const closing: { close(): unknown }[] = [];
beforeEach(async () => {
  world = await World.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(async () => {
  agent?.child.kill("SIGTERM");
  await agent?.exited;
  agent = null;
  for (const each of closing.splice(0)) each.close();
  await world.close();
});

const controlPort = () => Number(new URL(world.control.url).port);

/** Puts TLS in front of the control plane. @returns its port */
async function listenWithTls(): Promise<number> {
  const { key, cert } = { key: readFileSync(certificate.key), cert: readFileSync(certificate.cert) };
  const server: Server = createTlsServer({ key, cert }, (near) => {
    const far = connect(controlPort(), "127.0.0.1");
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    near.pipe(far).pipe(near);
  });
  closing.push(server);
  return listenLocally(server);
}

async function startProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  closing.push(proxy);
  return proxy;
}

/** Enrols the server and starts its agent, with these variables and no other proxy setting. */
async function enrollAndRun(url: string, variables: Record<string, string>): Promise<AgentProcess> {
  const none = {
    HTTP_PROXY: "",
    HTTPS_PROXY: "",
    NO_PROXY: "",
    http_proxy: "",
    https_proxy: "",
    no_proxy: "",
  };
  const env = { ...none, NODE_EXTRA_CA_CERTS: certificate.cert, ...variables };
  const { enrolmentToken } = world.control;
  const enrolment = spawnAgent(["enroll", "--url", url, "--token", enrolmentToken, "--home", world.home], {
    env,
  });
  const code = await enrolment.exited;
  if (code !== 0) throw new Error(enrolment.output());
  agent = spawnAgent(["run", "--home", world.home], { env });
  return agent;
}

describe("an agent whose control plane is behind a proxy", () => {
  it("enrols, connects and reports through HTTPS_PROXY, with its login", async () => {
    const port = await listenWithTls();
    const login = decodeURIComponent(LOGIN);
    const proxy = await startProxy({ login, portOf: (place) => (place === `${NAME}:443` ? port : null) });
    await enrollAndRun(`https://${NAME}`, { HTTPS_PROXY: proxy.url(LOGIN) });
    await world.control.waitFor("the hello", () => world.control.isConnected);
    const { result } = await world.deploy();
    expect(result.outcome).toBe("live");
    // One connection to enrol, one for the link, and one that all reports share.
    expect(proxy.asked.length).toBeGreaterThanOrEqual(3);
    expect(new Set(proxy.asked)).toEqual(new Set([`${NAME}:443`]));
  });

  it("connects again after the proxy was down", async () => {
    let isAway = false;
    const port = await listenWithTls();
    const proxy = await startProxy({ portOf: () => (isAway ? null : port) });
    const process = await enrollAndRun(`https://${NAME}`, {
      HTTPS_PROXY: proxy.url(),
      GANTRY_AGENT_SETTINGS: '{"backOffBaseMs":20,"backOffCapMs":100}',
    });
    await world.control.waitFor("the hello", () => world.control.isConnected);
    isAway = true;
    world.control.cutLink();
    await expect
      .poll(process.output)
      .toContain("refused to connect to control.gantry.test:443: it answered 502");
    isAway = false;
    await world.control.waitFor("the hello", () => world.control.isConnected);
  });

  it("prints what the proxy requires when the proxy refuses it", async () => {
    const proxy = await startProxy({ login: "agent:right", portOf: () => null });
    const enrolled = enrollAndRun(`https://${NAME}`, { HTTPS_PROXY: proxy.url("agent:wrong") });
    await expect(enrolled).rejects.toThrow(
      `https://${NAME} cannot be reached: the proxy ${proxy.url()} refused to connect to ${NAME}:443: it answered 407: it requires a user name and password`,
    );
    await expect(enrolled).rejects.not.toThrow("wrong");
  });

  it("is not ended by a proxy that answers in the control plane's format", async () => {
    const port = await listenWithTls();
    const good = await startProxy({ portOf: () => port });
    await enrollAndRun(`https://${NAME}`, { HTTPS_PROXY: good.url() });
    await world.control.waitFor("the hello", () => world.control.isConnected);
    agent?.child.kill("SIGTERM");
    await agent?.exited;
    const body = JSON.stringify({
      type: "about:blank",
      title: "Unauthorized",
      status: 401,
      code: "unauthenticated",
      detail: "The credential is wrong.",
      request_id: "req_1",
    });
    const answer = `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const bad = await startProxy({ portOf: () => null, answer });
    agent = spawnAgent(["run", "--home", world.home], { env: { HTTPS_PROXY: bad.url() } });
    await expect.poll(() => agent?.output()).toContain("it answered 401; trying again");
    expect(agent.child.exitCode).toBeNull();
  });
});

describe("an agent whose control plane does not need the proxy", () => {
  it("connects directly to its own server", async () => {
    await enrollAndRun(world.control.url, { HTTPS_PROXY: "http://127.0.0.1:1" });
    await world.control.waitFor("the hello", () => world.control.isConnected);
  });
});

describe("the proxy for", () => {
  const both = { HTTPS_PROXY: "http://s:1", HTTP_PROXY: "http://p:2" };
  it.each<[string, NodeJS.ProcessEnv, string | null]>([
    ["https://a.example.com", both, "http://s:1/"],
    ["https://a.example.com", { ...both, https_proxy: "http://small:3" }, "http://small:3/"],
    ["https://a.example.com", { HTTPS_PROXY: "proxy:3128" }, "http://proxy:3128/"],
    ["https://a.example.com", { HTTP_PROXY: "http://p:2", ALL_PROXY: "http://x:1" }, null],
    ["https://a.example.com", { HTTPS_PROXY: "" }, null],
    ["https://a.example.com", { ...both, NO_PROXY: "example.com" }, null],
    ["https://a.example.com", { ...both, NO_PROXY: "x, .example.com" }, null],
    ["https://a.example.com", { ...both, no_proxy: "*.example.com" }, null],
    ["https://a.example.com", { ...both, NO_PROXY: "*" }, null],
    ["https://A.example.com", { ...both, NO_PROXY: "a.EXAMPLE.com:443" }, null],
    ["https://a.example.com:8443", { ...both, NO_PROXY: "a.example.com:443" }, "http://s:1/"],
    ["https://badexample.com", { ...both, NO_PROXY: "example.com" }, "http://s:1/"],
    ["https://10.1.2.3", { ...both, NO_PROXY: "10.0.0.0/8" }, null],
    ["https://11.1.2.3", { ...both, NO_PROXY: "10.0.0.0/8, 10.0.0.0/99, x/8" }, "http://s:1/"],
    ["https://[fd00::1]", { ...both, NO_PROXY: "fd00::/8" }, null],
    ["https://[fd00::1]:8443", { ...both, NO_PROXY: "[fd00::1]" }, null],
    ["https://1.10.1.2", { ...both, NO_PROXY: "10.1.2" }, "http://s:1/"],
    ["http://localhost:8787", both, null],
    ["http://shop.localhost", both, null],
    ["http://127.1.2.3", both, null],
    ["http://[::1]:80", both, null],
  ])("%s with %j is %s", (target, environment, proxy) => {
    const choice = chooseProxy(environment, new URL(target));
    expect(choice.kind === "proxy" ? choice.proxy.href : null).toBe(proxy);
  });

  it.each([
    [{ HTTPS_PROXY: "socks5://127.0.0.1:1080" }, "HTTPS_PROXY has the scheme socks5, not http or https"],
    [{ HTTPS_PROXY: "http://" }, "HTTPS_PROXY is not an address"],
  ])("an address with %j is none, and the reason is told", (environment, reason) => {
    expect(chooseProxy(environment, new URL("https://a.example.com"))).toEqual({ kind: "unusable", reason });
  });
});
