import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";

import { pause } from "#contract/lib/pause.ts";

import { listenLocally } from "./listen.ts";

/** A self-signed TLS certificate for `localhost` and one more name. */
export type TestCertificate = { readonly key: string; readonly cert: string };

/** Creates a certificate. @param folder for its two files */
export function createCertificate(folder: string, name = "localhost"): TestCertificate {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  // Takes a twentieth of the time that an RSA key takes.
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const request = ["req", "-x509", ...newKey, "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  const names = [
    "-addext",
    `subjectAltName=DNS:localhost,DNS:${name},IP:127.0.0.1`,
    "-keyout",
    key,
    "-out",
    cert,
  ];
  execFileSync("openssl", [...request, ...names], { stdio: "ignore" });
  return { key, cert };
}

export type GitServerOptions = {
  readonly certificate: TestCertificate;
  /** The folder that holds the repositories. */
  readonly folder: string;
  /** The `user:password` that every request must send; `null`: no login. */
  readonly login: string | null;
  /** The minimum duration of each answer in milliseconds, so that a test can observe a fetch. */
  readonly delayMs?: number;
  /** Can answer a request in place of git. @returns whether it answered */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

export type GitServer = {
  /** `https://localhost:<port>` */
  readonly origin: string;
  /** The URL of a repository below the folder, with the login if there is one. */
  url(path: string, login?: string): string;
  /** The decoded `Authorization` header of each request; an empty string for none. */
  readonly logins: readonly string[];
  close(): void;
};

/** Serves git repositories with git's own HTTP backend, over TLS and with Basic authentication. */
export async function serveGit(options: GitServerOptions): Promise<GitServer> {
  const { certificate, login, delayMs = 0, intercept } = options;
  const logins: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = readLogin(request.headers.authorization);
    logins.push(given);
    await pause(delayMs);
    if (intercept?.(request, response) === true) return;
    if (login !== null && given !== login) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    runBackend(options.folder, request, response);
  };
  const server = createServer(
    { key: readFileSync(certificate.key), cert: readFileSync(certificate.cert) },
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  const port = await listenLocally(server);
  return {
    origin: `https://localhost:${port}`,
    url: (path, as) => `https://${as === undefined ? "" : `${as}@`}localhost:${port}/${path}`,
    logins,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function readLogin(header: string | undefined): string {
  return Buffer.from((header ?? "").replace(/^Basic /, ""), "base64").toString();
}

/** Runs `git http-backend` as a CGI program. */
function runBackend(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const child = spawn("git", ["http-backend"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    },
  });
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let hasHead = false;
  child.stdout.on("data", (chunk: Buffer) => {
    if (hasHead) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    hasHead = true;
    for (const line of head.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(/: (.*)/s);
      if (name.toLowerCase() === "status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout.on("end", () => response.end());
}
