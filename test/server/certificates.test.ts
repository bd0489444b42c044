import { connect } from "node:tls";

import { afterEach, describe, expect, it } from "vitest";

import { setMaintenance } from "#agent/ingress/slots.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";

import { ids } from "../agent/support/harness.ts";
import { rawRequest } from "../agent/sites/workspace.ts";
import { freePort } from "../support/free-port.ts";
import { startLoadApp } from "../support/load/load-app.ts";
import { TestIngress } from "./support/caddy.ts";
import { startPebble } from "./support/pebble.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Connects as a browser does. @returns whether the certificate is valid for the name */
function isTrusted(port: number, servername: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername, ca }, () => {
      resolve(socket.authorized);
      socket.destroy();
    });
    socket.on("error", () => resolve(false));
  });
}

describe("The ingress", () => {
  it("gets certificates for the domain and its aliases from an ACME issuer, also during maintenance", async () => {
    const [http, https] = await Promise.all([freePort(), freePort()]);
    const pebble = await startPebble(http, https);
    cleanUps.push(() => pebble.close());
    const test = await TestIngress.create(
      {
        issuer: "acme",
        acme_directory: pebble.directory,
        email: "ada@example.com",
        http_port: http,
        https_port: https,
      },
      { SSL_CERT_FILE: pebble.certificatePath },
    );
    cleanUps.push(() => test.close());
    const shop = ids.project();
    await setMaintenance(test.slots, shop, "closed");
    await test.put(shop, {
      domain: "shop.example.com",
      aliases: [{ domain: "www.example.com", redirect: true }],
      content: { kind: "app" },
    });
    const root = await pebble.root();
    for (const name of ["shop.example.com", "www.example.com"])
      await expect.poll(() => isTrusted(https, name, root)).toBe(true);
    expect(await isTrusted(https, "other.example.com", root)).toBe(false);
  });

  it("reports a project whose name gets no certificate, and only that project", async () => {
    const test = await TestIngress.create({
      issuer: "acme",
      acme_directory: "https://127.0.0.1:1/directory",
    });
    const watching = new AbortController();
    cleanUps.push(
      () => test.close(),
      () => watching.abort(),
    );
    const [uncertified, certified] = [ids.project(), ids.project()];
    const put = (project: ProjectId, domain: string) =>
      test.put(project, { domain, aliases: [], content: { kind: "app" } });
    await put(uncertified, "shop.example.com");
    await put(certified, "private.localhost");
    let changes = 0;
    void test.ingress.watch(watching.signal, () => (changes += 1));
    await expect
      .poll(() => test.ingress.problemOf(uncertified))
      .toContain("shop.example.com has no certificate yet");
    await pause(500);
    expect([changes, test.ingress.problemOf(certified), test.ingress.problem()]).toEqual([1, null, null]);
    expect(test.ingress.refusalOf(uncertified)).toBeNull();
    expect(await test.ingress.readCertificate("shop.example.com")).toBe("missing");
    await expect.poll(() => test.ingress.readCertificate("private.localhost")).toBe("valid");
  });

  it("believes a web server in front, which terminates TLS", async () => {
    const port = await freePort();
    const test = await TestIngress.create({ listen: `127.0.0.1:${port}` });
    cleanUps.push(() => test.close());
    expect(await test.ingress.readCertificate("shop.example.com")).toBeNull();
    const app = await startLoadApp("v1");
    cleanUps.push(() => app.end());
    const aliases = [{ domain: "www.example.com", redirect: true }];
    await test.put(ids.project(), { domain: "shop.example.com", aliases, content: { kind: "app" } }, [
      app.address,
    ]);
    const [headers, redirect] = await Promise.all([
      rawRequest(`http://127.0.0.1:${port}`, "/headers", {
        headers: { host: "shop.example.com", "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9" },
      }),
      rawRequest(`http://127.0.0.1:${port}`, "/a?b", { headers: { host: "www.example.com" } }),
    ]);
    expect(JSON.parse(headers.body)).toMatchObject({
      host: "shop.example.com",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "203.0.113.9, 127.0.0.1",
    });
    expect(redirect).toMatchObject({ status: 301, headers: { location: "//shop.example.com/a?b" } });
  });
});
