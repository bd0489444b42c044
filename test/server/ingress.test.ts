import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { ingressPrograms } from "../../scripts/shared/ingress-programs.ts";
import { readScript } from "../../scripts/shared/installer.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { freePort } from "../support/free-port.ts";
import { createApi } from "../support/journey-api.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const REPOSITORY = "/srv/site";
const CONFIG = "/var/lib/gantry/ingress/caddy.json";
const deb = readFileSync(ingressPrograms().deb);
const installer = await readScript("installer");
/** Debian's unstable release has moved on: then the program is given, and the download cannot be tested. */
const isPinned = installer.includes(createHash("sha256").update(deb).digest("hex"));

let gantry: Gantry;
let machine: DebianMachine;
let server: ServerCreated;
let mirror: Server;
let mirrorUrl: string;
const ports = { http: 0, https: 0 };
beforeAll(async () => {
  mirror = createServer(({ url = "" }, response) => {
    if (url.startsWith("/damaged/")) response.end(deb.subarray(0, -1));
    else if (url.startsWith("/caddy_")) response.end(deb);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => mirror.listen(0, "127.0.0.1", resolve));
  const address = mirror.address();
  mirrorUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  [gantry, machine, ports.http, ports.https] = await Promise.all([
    useGantry(),
    DebianMachine.boot(),
    freePort(),
    freePort(),
  ]);
  server = await registerServer(gantry);
  await machine.allowLocalRepositories();
});
afterAll(async () => {
  await machine.close();
  mirror.close();
});

function install(options: string, env: Readonly<Record<string, string>> = {}) {
  const line = `curl -fsSL ${gantry.url}/install.sh | sh -s -- ${options}`;
  return machine.run(line, { GANTRY_TOKEN: server.enrollment.token, GANTRY_CADDY_URL: mirrorUrl, ...env });
}

/** The machine shares this machine's ports, so the ingress cannot have 80 and 443. */
const writeSettings = () =>
  machine.write(
    "/etc/gantry/ingress.json",
    JSON.stringify({
      admin: "/run/gantry-ingress/admin.sock",
      check: "/run/gantry-ingress/check.sock",
      issuer: "internal",
      http_port: ports.http,
      https_port: ports.https,
    }),
  );
const ROOT_CERTIFICATE = "/var/lib/gantry-ingress/caddy/pki/authorities/local/root.crt";
const ask = (path: string, domain = "site.localhost") =>
  machine.run(
    `curl -sS -m 8 --cacert ${ROOT_CERTIFICATE} --resolve ${domain}:${ports.https}:127.0.0.1 https://${domain}:${ports.https}${path}`,
  );

describe("the installer with --ingress", () => {
  it("installs nothing if a port is in use, and says by whom", async () => {
    await machine.write(
      "/etc/gantry/ingress.json",
      JSON.stringify({ http_port: Number(new URL(mirrorUrl).port), https_port: ports.https }),
    );
    expect(await install("--ingress")).toEqual({
      code: 15,
      output: expect.stringMatching(/the ingress needs port \d+, which .* uses/),
    });
    expect(
      (await machine.run("ls /usr/local/bin/gantry-agent /etc/systemd/system/gantry-ingress.service")).code,
    ).toBe(2);
  });

  it("says who uses the port for balancers, if it will be needed", async () => {
    const settings = { http_port: ports.http, https_port: ports.https };
    const fleet_port = Number(new URL(mirrorUrl).port);
    await machine.write("/etc/gantry/ingress.json", JSON.stringify({ ...settings, fleet_port }));
    await machine.write("/opt/old-caddy", "#!/bin/sh\necho 2.6.2\n");
    expect(await install("--ingress", { GANTRY_CADDY: "/opt/old-caddy" })).toEqual({
      code: 15,
      output: expect.stringMatching(
        /note: .* uses port \d+, where balancers of Gantry would reach[^]*2\.6\.2/,
      ),
    });
  });

  it("installs nothing with a Caddy that is too old, or a damaged download", async () => {
    await writeSettings();
    await machine.write("/opt/old-caddy", "#!/bin/sh\necho 2.6.2\n");
    expect(await install("--ingress", { GANTRY_CADDY: "/opt/old-caddy" })).toEqual({
      code: 15,
      output: expect.stringContaining("GANTRY_CADDY is version 2.6.2, but the ingress needs 2.8 or newer"),
    });
    expect((await install("--ingress", { GANTRY_CADDY_URL: `${mirrorUrl}/damaged` })).code).toBe(8);
    expect(await install("--ingress-trust 10.0.0.0/33")).toMatchObject({ code: 2 });
    expect(await install("--ingress --no-service")).toMatchObject({ code: 4 });
    expect((await machine.run("ls /usr/local/bin/gantry-agent")).code).toBe(2);
  });

  it.skipIf(!isPinned)("downloads Caddy and runs it as a service of its own", async () => {
    expect(await install("--ingress")).toEqual({
      code: 0,
      output: expect.stringContaining("the ingress runs: /usr/local/lib/gantry/caddy"),
    });
    const shown = await machine.tell(
      "systemctl show --property=ActiveState,User,Group,CapabilityBoundingSet gantry-ingress",
    );
    expect(shown.split("\n").toSorted()).toEqual([
      "ActiveState=active",
      "CapabilityBoundingSet=cap_net_bind_service",
      "Group=gantry",
      "User=gantry-ingress",
    ]);
    expect(await machine.tell("systemctl list-unit-files 'caddy*' --no-legend | wc -l")).toBe("0");
  });

  it("serves what the agent deploys, by TLS of its own authority", async () => {
    if (!isPinned) return;
    await machine.write(`${REPOSITORY}/dist/index.html`, "<h1>one</h1>");
    await machine.tell(
      `chmod 600 ${REPOSITORY}/dist/index.html && cd ${REPOSITORY} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry ${REPOSITORY}`,
    );
    const api = createApi(gantry.url, gantry.token);
    const project = await api.createProject({
      name: "site",
      server_id: server.id,
      domain: "site.localhost",
      repository: REPOSITORY,
      build_command: "umask 077 && cp dist/index.html dist/private.html",
      output_directory: "dist",
    });
    const started = await api.start(project.id);
    expect(await api.ended(started.id)).toMatchObject({ status: "live" });
    await expect.poll(async () => (await ask("/")).output).toContain("<h1>one</h1>");
    expect((await ask("/private")).output).toContain("<h1>one</h1>");
    await expect
      .poll(async () => (await machine.run("gantry-agent status")).output)
      .toContain("ingress: Caddy serves 1 site");
    // No project could take over the domain of another one.
    const { code } = await machine.run(
      `runuser -u ${project.id} -- sh -c 'mkdir -p /run/gantry/slots/x || ls /var/lib/gantry-ingress || ls /run/gantry-ingress'`,
    );
    expect(code).not.toBe(0);
  });

  it("keeps Caddy running during an update, and starts it with its sites after a reboot", async () => {
    if (!isPinned) return;
    const pid = () => machine.tell("systemctl show --property=MainPID --value gantry-ingress");
    const before = await pid();
    expect((await install("", { GANTRY_TOKEN: "" })).code).toBe(0);
    const settings = JSON.parse(await machine.tell("cat /etc/gantry/ingress.json"));
    const trust = "--ingress-trust 10.0.0.0/16 --ingress-trust 2001:db8::/32";
    expect((await install(trust, { GANTRY_TOKEN: "" })).code).toBe(0);
    // The option changes nothing else, and Caddy does not need to end for it.
    const changed = JSON.parse(await machine.tell("cat /etc/gantry/ingress.json"));
    expect(changed).toEqual({ ...settings, trust: ["10.0.0.0/16", "2001:db8::/32"] });
    await expect.poll(() => machine.tell(`cat ${CONFIG}`)).toContain("2001:db8::/32");
    expect(await pid()).toBe(before);
    await machine.reboot();
    await expect.poll(async () => (await ask("/")).output).toContain("<h1>one</h1>");
  });

  it("starts Caddy again when it is killed", async () => {
    if (!isPinned) return;
    await machine.tell("systemctl kill --signal=KILL gantry-ingress");
    await expect.poll(async () => (await ask("/")).output).toContain("<h1>one</h1>");
  });

  it("removes the ingress, and its certificates only with --purge", async () => {
    if (!isPinned) return;
    const kept = await install("--uninstall", { GANTRY_TOKEN: "" });
    expect(kept).toMatchObject({
      code: 0,
      output: expect.stringContaining("/var/lib/gantry-ingress, with the certificates"),
    });
    expect((await machine.run(`ls ${CONFIG} ${ROOT_CERTIFICATE}`)).code).toBe(0);
    expect(
      (await machine.run("systemctl cat gantry-ingress || ls /usr/local/lib/gantry/caddy")).code,
    ).not.toBe(0);
    expect((await install("--uninstall --purge", { GANTRY_TOKEN: "" })).code).toBe(0);
    expect((await machine.run("ls /var/lib/gantry-ingress || getent passwd gantry-ingress")).code).not.toBe(
      0,
    );
  });
});
