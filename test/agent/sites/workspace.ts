import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, request as openRequest, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { SiteRules } from "#agent/workspace/site-rules.ts";
import { serveSite } from "#agent/sites/serve-site.ts";

import { listenLocally } from "../../support/listen.ts";

/** A project's folder as the agent lays it out, filled by hand. */
export type Workspace = {
  readonly directory: string;
  addRelease(version: number, files: Record<string, string>, record?: ReleasePaths): Promise<void>;
  /** Keeps these files of a release that was live. */
  addAssets(version: number, files: Record<string, string>): Promise<void>;
  switchTo(version: number): Promise<void>;
  removeRelease(version: number): Promise<void>;
  remove(): Promise<void>;
};

export type ReleasePaths = {
  root_directory: string;
  output_directory: string;
  published?: false;
  site_rules?: SiteRules;
};

export async function createWorkspace(): Promise<Workspace> {
  const base = await mkdtemp(join(tmpdir(), "gantry-sites-"));
  const directory = join(base, "project");
  const releases = join(directory, "releases");
  await mkdir(releases, { recursive: true });
  return {
    directory,
    addAssets: (version, files) => writeFiles(join(directory, "assets", `${version}`), files),
    async addRelease(version, files, record = { root_directory: ".", output_directory: "." }) {
      await writeFiles(join(releases, `${version}`), files);
      await writeFile(
        join(releases, `${version}.json`),
        JSON.stringify({ version, commit_sha: "0".repeat(40), ...record }),
      );
    },
    async switchTo(version) {
      const draft = join(directory, "current.tmp");
      await symlink(join("releases", `${version}`), draft);
      await rename(draft, join(directory, "current"));
    },
    async removeRelease(version) {
      await rm(join(releases, `${version}.json`));
      await rm(join(releases, `${version}`), { recursive: true });
    },
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

export type ServedSite = { readonly url: string; readonly server: Server; close(): Promise<void> };

/** Serves a workspace as the site server does, without the rest of it. */
export async function serve(directory: string): Promise<ServedSite> {
  const server = createServer((request, response) => {
    void serveSite(directory, request, response);
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Asks for a path exactly as it is written; fetch would tidy it up first. @returns status, headers and body */
export function rawRequest(
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = openRequest({ hostname, port, path, ...options }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
