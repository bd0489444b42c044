import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listenLocally } from "./listen.ts";

/** A package registry with one package, on a real socket, for the real npm. */
export type FakeRegistry = {
  /** The environment that makes npm use this registry. */
  readonly environment: Record<string, string>;
  readonly integrity: string;
  /** How many requests it has got. */
  readonly requests: number;
  close(): Promise<void>;
};

/**
 * @param name of the package, whose version is `1.0.0`
 * @param program the text of a program of that name in the package
 */
export async function startFakeRegistry(name: string, program: string | null = null): Promise<FakeRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-registry-"));
  mkdirSync(join(folder, "package"));
  const manifest = { name, version: "1.0.0", ...(program === null ? {} : { bin: { [name]: "program" } }) };
  writeFileSync(join(folder, "package", "package.json"), JSON.stringify(manifest));
  if (program !== null) writeFileSync(join(folder, "package", "program"), program);
  execFileSync("tar", ["-czf", "part.tgz", "package"], { cwd: folder });
  const tarball = readFileSync(join(folder, "part.tgz"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const origin = `http://${request.headers.host}`;
    if (request.url?.endsWith(".tgz") === true) return response.end(tarball);
    if (request.url !== `/${name.replace("/", "%2f")}`) return response.writeHead(404).end("{}");
    response.setHeader("content-type", "application/json");
    const dist = { integrity, tarball: `${origin}/${name}/-/part-1.0.0.tgz` };
    return response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { ...manifest, dist } },
      }),
    );
  });
  const port = await listenLocally(server);
  return {
    environment: {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(folder, "cache"),
      npm_config_noproxy: "127.0.0.1",
    },
    integrity,
    get requests() {
      return requests;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
