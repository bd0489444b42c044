import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";

import { afterEach, expect, it } from "vitest";

import { applyDrain, showStarted } from "#agent/ingress/drain.ts";
import { pause } from "#contract/lib/pause.ts";
import { findProgram } from "../../scripts/shared/find-program.ts";
import { ids } from "../agent/support/harness.ts";
import { createCertificate } from "../support/git-server.ts";
import { freePort } from "../support/free-port.ts";
import { TestIngress } from "./support/caddy.ts";
import { ownAddress } from "./support/own-address.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server with the ingress, whose app answers with the server's name and the visitor's address. */
async function startServer(name: string): Promise<{ readonly ingress: TestIngress; readonly port: number }> {
  const app: Server = createServer((request, response) =>
    response.end([name, request.headers["x-forwarded-for"], request.headers["x-forwarded-proto"]].join(" ")),
  );
  const appPort = await freePort();
  await new Promise<void>((done) => app.listen(appPort, "127.0.0.1", done));
  closing.push(() => (app.close(), app.closeAllConnections()));
  const port = await freePort();
  const ingress = await TestIngress.create({ listen: `127.0.0.1:${port}`, trust: ["127.0.0.1/32"] });
  closing.push(() => ingress.close());
  await ingress.put(ids.project(), { domain: "shop.localhost", aliases: [], content: { kind: "app" } }, [
    `127.0.0.1:${appPort}`,
  ]);
  await showStarted(ingress);
  return { ingress, port };
}

/** The configuration of docs/load-balancers.md, with the addresses of this test. */
function documentedConfig(folder: string, changes: readonly (readonly [string, string])[]): string {
  const page = readFileSync(join(import.meta.dirname, "../../docs/load-balancers.md"), "utf8");
  let [, config = ""] = /<!-- haproxy -->\n\n```text\n([^]*?)```/.exec(page) ?? [];
  for (const [from, to] of changes) {
    expect(config).toContain(from);
    config = config.replace(from, to);
  }
  const path = join(folder, "haproxy.cfg");
  writeFileSync(path, config);
  return path;
}

it("HAProxy, as documented, sends a drained server no more requests, and loses none", async () => {
  const program = await findProgram(["haproxy"]);
  if (program === null) throw new Error("The example is tested with HAProxy: apt-get install haproxy");
  const [one, two] = [await startServer("web-1"), await startServer("web-2")];
  const { home } = one.ingress;
  const [plain, secure] = [await freePort(), await freePort()];
  const { key, cert } = createCertificate(home);
  writeFileSync(join(home, "site.pem"), readFileSync(cert, "utf8") + readFileSync(key, "utf8"));
  const config = documentedConfig(home, [
    ["bind :80", `bind 127.0.0.1:${plain}`],
    ["bind :443 ssl crt /etc/haproxy/certificates", `bind :${secure} ssl crt ${join(home, "site.pem")}`],
    ["10.0.0.11:8080", `127.0.0.1:${one.port}`],
    ["10.0.0.12:8080", `127.0.0.1:${two.port}`],
  ]);
  execFileSync(program, ["-c", "-f", config], { stdio: "pipe" });
  const haproxy: ChildProcess = spawn(program, ["-db", "-f", config], { stdio: "ignore" });
  closing.push(() => haproxy.kill("SIGKILL"));

  const address = ownAddress();
  const curl = (...args: readonly string[]) =>
    new Promise<string>((done) => {
      const child = spawn("curl", ["-sk", "-m", "10", "-H", "Host: shop.localhost", ...args]);
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      child.on("close", (code) => done(code === 0 ? text : `curl failed: ${code}`));
    });
  const visit = () => curl("-H", "X-Forwarded-For: 6.6.6.6", `https://${address}:${secure}/`);
  const visitMany = async () => {
    const answers = new Map<string, number>();
    for (let count = 0; count < 20; count += 1) {
      const answer = await visit();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    return [...answers.keys()].toSorted();
  };
  // The address that HAProxy has seen, and not what the visitor claims.
  const [fromOne, fromTwo] = [`web-1 ${address} https`, `web-2 ${address} https`];
  await expect.poll(visitMany).toEqual([fromOne, fromTwo]);
  const redirect = await curl("-o", "/dev/null", "-w", "%{http_code}", `http://127.0.0.1:${plain}/`);
  expect(redirect).toBe("308");

  const seen = new Set<string>();
  let isEnded = false;
  const visitors = (async () => {
    while (!isEnded) seen.add((await visit()).replace(/ .*/, ""));
  })();
  await applyDrain(one.ingress, { revision: 1, since: 1 });
  await expect.poll(visitMany).toEqual([fromTwo]);
  await pause(1000);
  expect(await visitMany()).toEqual([fromTwo]);
  await applyDrain(one.ingress, { revision: 2, since: null });
  await expect.poll(visitMany).toEqual([fromOne, fromTwo]);
  isEnded = true;
  await visitors;
  expect([...seen].toSorted()).toEqual(["web-1", "web-2"]);
});
