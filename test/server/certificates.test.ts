import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp, createServer } from "node:net";
import { connect } from "node:tls";

import { afterEach, describe, expect, it } from "vitest";

import { storeFleet } from "#agent/ingress/fleet/fleet-file.ts";
import { setMaintenance } from "#agent/ingress/slots.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";

import { ids } from "../agent/support/harness.ts";
import { rawRequest } from "../agent/sites/workspace.ts";
import { createCertificate } from "../support/git-server.ts";
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

  it("gets a certificate on each of several servers that one name leads to", async () => {
    const http = await freePort();
    const addresses = ["127.0.0.11", "127.0.0.12", "127.0.0.13"];
    const domain = "shop.example.com";
    const pebble = await startPebble(http, await freePort(), { [domain]: addresses });
    cleanUps.push(() => pebble.close());
    const options = { issuer: "acme", acme_directory: pebble.directory };
    const servers = await Promise.all(
      addresses.map(async (address) => {
        const test = await TestIngress.create(options, { SSL_CERT_FILE: pebble.certificatePath });
        cleanUps.push(() => test.close());
        const { http_port, fleet_port: port } = test.settings;
        // The issuer finds every server at the same port, each at an address of its own.
        const door = createServer((socket) => {
          const inner = connectTcp(http_port, "127.0.0.1");
          for (const end of [socket, inner]) end.on("error", () => undefined);
          socket.pipe(inner).pipe(socket);
        });
        await new Promise<void>((done) => door.listen(http, address, done));
        cleanUps.push(() => door.close());
        return {
          test,
          shown: { id: ids.server(), ip: "127.0.0.1", address: null, port, http_port, root: "" },
        };
      }),
    );
    const project = ids.project();
    await Promise.all(
      servers.map(async ({ test, shown }) => {
        const others = servers.map((each) => each.shown).filter(({ id }) => id !== shown.id);
        const peers = others.map(({ id }) => id);
        await storeFleet(test.home, {
          revision: 1,
          servers: others,
          balances: [],
          serves: [{ entry: "each", project_id: project, peers }],
        });
        await test.put(project, { domain, aliases: [], content: { kind: "app" } });
      }),
    );
    const root = await pebble.root();
    for (const { test } of servers)
      await expect.poll(() => isTrusted(test.settings.https_port, domain, root)).toBe(true);
    // What nobody knows is not passed on for ever.
    const [{ test } = { test: null }] = servers;
    const unknown = `http://127.0.0.1:${test?.settings.http_port}/.well-known/acme-challenge/unknown`;
    expect((await fetch(unknown)).status).toBe(404);
    for (const one of servers) expect(one.test.caddyLog).not.toContain("challenge failed");
  });

  it("uses certificates from files for their names, and the new ones when the files change", async () => {
    const folder = mkdtempSync("/tmp/gantry-certificates-");
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    const [name, other] = ["shop.example.com", "other.localhost"];
    let files = createCertificate(folder, name);
    const test = await TestIngress.create({
      issuer: "acme",
      // Nothing may be requested there.
      acme_directory: "https://127.0.0.1:1/directory",
      certificates: [files],
    });
    const watching = new AbortController();
    cleanUps.push(
      () => test.close(),
      () => watching.abort(),
    );
    const project = ids.project();
    await test.put(project, {
      domain: name,
      aliases: [{ domain: other, redirect: true }],
      content: { kind: "app" },
    });
    void test.ingress.watch(watching.signal, () => undefined);
    const { https_port: port } = test.settings;
    const uses = (ca: string) => isTrusted(port, name, ca);
    const first = readFileSync(files.cert, "utf8");
    await expect.poll(() => uses(first)).toBe(true);
    await expect.poll(() => isTrusted(port, other, test.authority)).toBe(true);

    // A tool replaces the two files in sequence.
    const key = readFileSync(files.key, "utf8");
    files = createCertificate(folder, name);
    const newKey = readFileSync(files.key, "utf8");
    writeFileSync(files.key, key);
    await expect.poll(() => test.ingress.fleetProblem()).toContain("the key is of another certificate");
    expect(await uses(first)).toBe(true);
    writeFileSync(files.key, newKey);
    await expect.poll(() => uses(readFileSync(files.cert, "utf8"))).toBe(true);
    await expect.poll(() => test.ingress.fleetProblem()).toBeNull();

    // Caddy does not need the files to start.
    rmSync(files.cert);
    rmSync(files.key);
    await expect.poll(() => test.ingress.fleetProblem()).toContain("ENOENT");
    await test.kill();
    await test.start();
    expect(await isTrusted(port, name, test.authority)).toBe(false);
    expect(await test.ingress.readCertificate(name)).toBe("valid");
    expect(test.caddyLog).not.toContain('obtaining certificate","identifier":"shop.example.com');
    expect(test.ingress.problemOf(project)).toBeNull();
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
