import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";

import { pause } from "#contract/lib/pause.ts";

import { ingressPrograms } from "../../../scripts/shared/ingress-programs.ts";
import { freePort } from "../../support/free-port.ts";
import { runShell } from "../../support/run-shell.ts";

/** An ACME issuer as Let's Encrypt, for which every name leads to this machine. */
export type Pebble = {
  readonly directory: string;
  /** The certificate of its own https address. */
  readonly certificatePath: string;
  /** The certificate of the authority that issues. */
  root(): Promise<string>;
  close(): void;
};

/**
 * @param httpPort where it looks for the answer to its challenges
 * @param addresses of single names that lead elsewhere
 */
export async function startPebble(
  httpPort: number,
  httpsPort: number,
  addresses: Readonly<Record<string, readonly string[]>> = {},
): Promise<Pebble> {
  const folder = mkdtempSync("/tmp/gantry-pebble-");
  const [port, management, dns, dnsManagement] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const [key, certificate, config] = ["key.pem", "cert.pem", "config.json"].map((name) => join(folder, name));
  const made = await runShell(
    [
      "sh",
      "-c",
      `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout ${key} -out ${certificate}`,
    ],
    { env: { PATH: "/usr/bin:/bin" } },
  );
  if (made.code !== 0) throw new Error(made.output);
  writeFileSync(
    config ?? "",
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate,
        privateKey: key,
        httpPort,
        tlsPort: httpsPort,
      },
    }),
  );
  const { pebble, pebbleDns } = ingressPrograms();
  const children: ChildProcess[] = [
    spawn(
      pebbleDns,
      [
        ...["-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", ""],
        ...["-doh", "", "-dnsserver", `127.0.0.1:${dns}`, "-management", `127.0.0.1:${dnsManagement}`],
      ],
      { stdio: "ignore" },
    ),
    spawn(pebble, ["-config", config ?? "", "-dnsserver", `127.0.0.1:${dns}`], {
      stdio: "ignore",
      env: { PEBBLE_VA_NOSLEEP: "1" },
    }),
  ];
  const read = (url: string) =>
    new Promise<string>((resolve, reject) => {
      request(url, { rejectUnauthorized: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
      })
        .on("error", reject)
        .end();
    });
  const directory = `https://127.0.0.1:${port}/dir`;
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
    if ((await read(directory).catch(() => "")) !== "") break;
    await pause(50);
  }
  for (const [name, list] of Object.entries(addresses)) {
    const body = JSON.stringify({ host: `${name}.`, addresses: list });
    await fetch(`http://127.0.0.1:${dnsManagement}/add-a`, { method: "POST", body });
  }
  return {
    directory,
    certificatePath: certificate ?? "",
    root: () => read(`https://127.0.0.1:${management}/roots/0`),
    close() {
      for (const child of children) child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
