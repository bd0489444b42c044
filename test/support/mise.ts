import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listenLocally } from "./listen.ts";

/** The version that install.sh pins. */
export const MISE_VERSION = "2026.9.15";

/**
 * Downloads mise from npm's registry into a folder.
 * @returns the program's path
 */
export function downloadMise(folder: string): string {
  const spec = `@jdxcode/mise-linux-x64@${MISE_VERSION}`;
  execFileSync("npm", ["pack", spec, "--pack-destination", folder], { stdio: "pipe" });
  execFileSync("tar", ["-xzf", `jdxcode-mise-linux-x64-${MISE_VERSION}.tgz`], { cwd: folder });
  return join(folder, "package", "bin", "mise");
}

/** A download site of Node, with the version that runs the test, on a real socket. */
export type NodeMirror = {
  readonly port: number;
  /** The paths that were requested. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

/** @param further files to serve, by their paths */
export async function startNodeMirror(further: ReadonlyMap<string, Buffer> = new Map()): Promise<NodeMirror> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-mirror-"));
  const name = `node-${process.version}-linux-x64`;
  const root = join(folder, name);
  mkdirSync(join(root, "bin"), { recursive: true });
  copyFileSync(process.execPath, join(root, "bin", "node"));
  const npm = realpathSync(execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim());
  cpSync(join(npm, "..", ".."), join(root, "lib", "node_modules", "npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "bin", "npm"));
  const file = `${name}.tar.gz`;
  execFileSync("tar", ["-I", "gzip -1", "-cf", file, name], { cwd: folder });
  const archive = readFileSync(join(folder, file));
  rmSync(folder, { recursive: true });
  const sums = `${createHash("sha256").update(archive).digest("hex")}  ${file}\n`;
  const versions = [{ version: process.version, date: "2026-01-01", files: ["linux-x64"], lts: "Krypton" }];
  const files = new Map<string, string | Buffer>([
    ...further,
    ["/index.json", JSON.stringify(versions)],
    [`/${process.version}/${file}`, archive],
    [`/${process.version}/SHASUMS256.txt`, sums],
  ]);
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    const found = files.get(url);
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  const port = await listenLocally(server);
  return {
    port,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
