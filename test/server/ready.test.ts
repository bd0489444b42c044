import { readFileSync } from "node:fs";

import { afterEach, describe, expect, it } from "vitest";

import { applyDrain, showStarted } from "#agent/ingress/drain.ts";
import { ingressFiles } from "#agent/ingress/caddy/load-sites.ts";
import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";
import { freePort } from "../support/free-port.ts";
import { TestIngress } from "./support/caddy.ts";
import { ask, type EchoApp, putApp, startEchoApp, textOf } from "./support/echo-app.ts";

let test: TestIngress | null = null;
let app: EchoApp | null = null;
afterEach(async () => {
  app?.close();
  await test?.close();
  [app, test] = [null, null];
});

describe("the ready URL", () => {
  it("says for any host, with and without TLS, whether the server takes requests", async () => {
    test = await TestIngress.create();
    const ingress = test;
    await ingress.ingress.apply();
    const plain = { port: ingress.settings.http_port };
    await expect.poll(() => textOf(plain, "127.0.0.1", READY_PATH).catch(String)).toBe("503 starting");
    app = await startEchoApp();
    await putApp(ingress, app);
    const secure = {
      port: ingress.settings.https_port,
      tls: { name: "shop.localhost", ca: "" },
    };
    await expect
      .poll(() =>
        textOf({ ...secure, tls: { ...secure.tls, ca: ingress.authority } }, "shop.localhost", "/").catch(
          String,
        ),
      )
      .toContain('"path":"/"');
    const ways = [plain, { ...secure, tls: { ...secure.tls, ca: ingress.authority } }];
    const hosts = [
      "shop.localhost",
      "www.shop.localhost",
      "unknown.example.com",
      "127.0.0.1",
      "192.0.2.7:8443",
    ];
    const expectAll = async (text: string) => {
      for (const way of ways)
        for (const host of hosts) expect(await textOf(way, host, READY_PATH)).toBe(text);
    };
    const before = readFileSync(ingressFiles(ingress.home).config, "utf8");
    await expectAll("503 starting");
    await showStarted(ingress);
    await expectAll("200 ready");
    await applyDrain(ingress, { revision: 2, since: 1 });
    await expectAll("503 draining");
    // An older change, and a change that arrives twice.
    await applyDrain(ingress, { revision: 1, since: null });
    await applyDrain(ingress, { revision: 2, since: 1 });
    await expectAll("503 draining");
    // The site itself is answered as before.
    expect((await ask(ways[1] ?? plain, "/x", { host: "shop.localhost" })).status).toBe(200);
    // Caddy ends and starts again.
    await ingress.kill();
    await ingress.start();
    await expect.poll(() => textOf(plain, "127.0.0.1", READY_PATH).catch(String)).toBe("503 draining");
    await expectAll("503 draining");
    await applyDrain(ingress, { revision: 3, since: null });
    await expectAll("200 ready");
    expect(readFileSync(ingressFiles(ingress.home).config, "utf8")).toBe(before);
  });

  it("says nothing else, and no path below it reaches the app", async () => {
    const port = await freePort();
    test = await TestIngress.create({ listen: `127.0.0.1:${port}` });
    app = await startEchoApp();
    await putApp(test, app);
    await showStarted(test);
    const way = { port };
    await expect.poll(() => textOf(way, "shop.localhost", "/").catch(String)).toContain('"path":"/"');
    expect(await textOf(way, "shop.localhost", READY_PATH)).toBe("200 ready");
    expect(await textOf(way, "192.0.2.7", READY_PATH)).toBe("200 ready");
    expect(await textOf(way, "shop.localhost", `${READY_PATH}?x=1`)).toBe("200 ready");
    expect(await textOf(way, "shop.localhost", "/.well-known/gantry/%72eady")).toBe("200 ready");
    const { headers } = await ask(way, READY_PATH, { host: "shop.localhost" });
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(await ask(way, READY_PATH, { host: "shop.localhost" }, "HEAD")).toMatchObject({
      status: 200,
      body: "",
    });
    for (const path of [`${READY_PATH}/`, `${READY_PATH}/x`, `${READY_PATH}//x`])
      expect([path, await textOf(way, "shop.localhost", path)]).toEqual([path, "404 not found"]);
    expect(await textOf(way, "shop.localhost", "/.well-known/gantry/ready.txt")).toContain("ready.txt");
    expect(await textOf(way, "shop.localhost", "/.well-known/security.txt")).toContain("security.txt");
  });
});
