import { afterEach, describe, expect, it } from "vitest";

import { IngressSettings } from "#agent/ingress/settings.ts";
import { freePort } from "../support/free-port.ts";
import { TestIngress } from "./support/caddy.ts";
import { ask, type EchoApp, putApp, startEchoApp, textOf, type Way } from "./support/echo-app.ts";
import { ownAddress } from "./support/own-address.ts";

let test: TestIngress | null = null;
let app: EchoApp | null = null;
afterEach(async () => {
  app?.close();
  await test?.close();
  [app, test] = [null, null];
});

describe("the visitor's address behind a load balancer", () => {
  const forwarded = { "x-forwarded-for": "203.0.113.66, 198.51.100.7", "x-forwarded-proto": "https" };
  const shown = async (way: Way, headers: Record<string, string> = forwarded): Promise<unknown> =>
    JSON.parse((await ask(way, "/", { host: "shop.localhost", ...headers })).body);
  const served = async (options: object): Promise<number> => {
    const port = await freePort();
    test = await TestIngress.create({ listen: `0.0.0.0:${port}`, ...options });
    app = await startEchoApp();
    await putApp(test, app);
    await expect.poll(() => textOf({ port }, "shop.localhost", "/").catch(String)).toContain('"path":"/"');
    return port;
  };

  it("is the last address that the trusted balancers have seen, and apps get only that", async () => {
    const port = await served({ trust: ["198.51.100.0/24", "10.0.0.0/8"] });
    // The visitor has sent an address of their own, and two balancers have added what they saw.
    expect(
      await shown(
        { port },
        { ...forwarded, "x-forwarded-for": "6.6.6.6, 203.0.113.66, 10.1.2.3, 198.51.100.7" },
      ),
    ).toMatchObject({
      address: "203.0.113.66",
      proto: "https",
    });
    expect(await shown({ port }, {})).toMatchObject({ address: "127.0.0.1", proto: "http" });
  });

  it("is the address of the connection for everybody else", async () => {
    const address = ownAddress();
    const port = await served({ trust: ["198.51.100.0/24"] });
    expect(await shown({ port, host: address })).toMatchObject({ address, proto: "http" });
  });

  it("is taken from the header by the listener with TLS too, if ranges are trusted", async () => {
    app = await startEchoApp();
    for (const [trust, address] of [
      [["127.0.0.1/32", "198.51.100.0/24"], "203.0.113.66"],
      [[], "127.0.0.1"],
    ] as const) {
      test = await TestIngress.create({ trust });
      const ingress = test;
      await putApp(ingress, app);
      const way = () => ({
        port: ingress.settings.https_port,
        tls: { name: "shop.localhost", ca: ingress.authority },
      });
      await expect
        .poll(async () => textOf(way(), "shop.localhost", "/").catch(String))
        .toContain('"path":"/"');
      expect(await shown(way())).toMatchObject({ address, proto: "https" });
      await ingress.close();
    }
  });

  it("is as before behind a web server on the same machine", async () => {
    const port = await served({});
    expect(await shown({ port })).toMatchObject({
      address: "203.0.113.66, 198.51.100.7, 127.0.0.1",
      proto: "https",
    });
  });

  it("needs ranges of addresses, which are not all addresses", () => {
    const sockets = { admin: "/run/admin.sock", check: "/run/check.sock" };
    const isValid = (...trust: string[]) => IngressSettings.safeParse({ ...sockets, trust }).success;
    expect(isValid("10.0.0.0/16", "203.0.113.7/32", "2001:db8::/32")).toBe(true);
    for (const range of ["0.0.0.0/0", "::/0", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "example.com/8", ""])
      expect([range, isValid(range)]).toEqual([range, false]);
  });
});
