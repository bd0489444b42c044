import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A package registry with one package, on a real socket, for the real npm. */
export type FakeRegistry = {
  /** The environment that makes npm use this registry. */
  readonly environment: Record<string, string>;
  readonly integrity: string;
  close(): Promise<void>;
};

/** @param name of the package, whose version is `1.0.0` */
export async function startFakeRegistry(name: string): Promise<FakeRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-registry-"));
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package", "package.json"), JSON.stringify({ name, version: "1.0.0" }));
  execFileSync("tar", ["-czf", "part.tgz", "package"], { cwd: folder });
  const tarball = readFileSync(join(folder, "part.tgz"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url?.endsWith(".tgz") === true) return response.end(tarball);
    if (request.url !== `/${name.replace("/", "%2f")}`) return response.writeHead(404).end("{}");
    response.setHeader("content-type", "application/json");
    const dist = { integrity, tarball: `${origin}/${name}/-/part-1.0.0.tgz` };
    return response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { name, version: "1.0.0", dist } },
      }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    environment: {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(folder, "cache"),
      npm_config_noproxy: "127.0.0.1",
    },
    integrity,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
