import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "vitest";

import { ingressPrograms } from "../../../scripts/shared/ingress-programs.ts";
import type { LoadTarget } from "../../support/load/load.ts";

/**
 * Starts another Caddy, which sends each request that it gets at the port on to the target, by HTTP/3 only, and verifies
 * the certificate. Neither Node nor Debian's curl has a client.
 */
export async function startHttp3Client(port: number, target: Required<LoadTarget>): Promise<ChildProcess> {
  const folder = mkdtempSync("/tmp/gantry-http3-");
  const authority = join(folder, "root.crt");
  writeFileSync(authority, target.ca);
  const proxy = {
    handler: "reverse_proxy",
    upstreams: [{ dial: `127.0.0.1:${target.port}` }],
    headers: { request: { set: { Host: [target.domain] } } },
    transport: {
      protocol: "http",
      versions: ["3"],
      tls: { server_name: target.domain },
    },
  };
  const server = {
    listen: [`127.0.0.1:${port}`],
    automatic_https: { disable: true },
    routes: [{ handle: [proxy] }],
  };
  const config = join(folder, "caddy.json");
  writeFileSync(
    config,
    JSON.stringify({ admin: { disabled: true }, apps: { http: { servers: { client: server } } } }),
  );
  const child = spawn(ingressPrograms().caddy, ["run", "--config", config], {
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, SSL_CERT_FILE: authority },
    stdio: "ignore",
  });
  const listens = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(listens).toBe(true);
  return child;
}
