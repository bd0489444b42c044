import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { chromium } from "playwright-core";
import * as z from "zod";

import { root } from "../../../scripts/shared/root.ts";
import { runCommand } from "../../../scripts/shared/run-command.ts";
import { executable } from "../../browser/support/browser.ts";

/** Runs `useClient` in the folder where the package is installed. @param given its argument, as JSON */
export type Runtime = (folder: string, given: string) => Promise<unknown>;

const platform = `${process.platform}-${process.arch}`;
/** Bun names a processor as Linux does. */
const bunPlatform = platform.replace("arm64", "aarch64");

/** Programs that are installed for these tests alone, because they take 300 MB: the oldest Node of the client, Deno and Bun. */
const PROGRAMS = [`node-${platform}@20.3.1`, "deno@2.9.6", `@oven/bun-${bunPlatform}@1.4.5`] as const;

/** @returns the folder of the programs; null if they cannot be downloaded here */
export async function installPrograms(): Promise<string | null> {
  const folder = join(root, "build", "client-runtimes", PROGRAMS.join("+").replaceAll("/", "-"));
  if (existsSync(join(folder, "complete"))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), "{}");
  const options = [
    "--prefix",
    folder,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--no-package-lock",
  ] as const;
  const { code, output } = await runCommand(["npm", "install", ...options, ...PROGRAMS]);
  if (code !== 0) {
    console.warn(`Node 20, Deno and Bun are not tested, because they could not be installed:\n${output}`);
    return null;
  }
  await writeFile(join(folder, "complete"), "");
  return folder;
}

const inProcess =
  (...argv: readonly [string, ...string[]]): Runtime =>
  async (folder, given) => {
    const outcome = await runCommand([...argv, "main.mjs"], { cwd: folder, env: { GIVEN: given } });
    if (outcome.code !== 0) throw new Error(outcome.output);
    return JSON.parse(outcome.stdout);
  };

/** The runtimes that run as a program. @param programs of `installPrograms` */
export function processes(programs: string): Record<string, Runtime> {
  const [node = "", deno = "", bun = ""] = [
    `node-${platform}/bin/node`,
    ".bin/deno",
    `@oven/bun-${bunPlatform}/bin/bun`,
  ].map((path) => join(programs, "node_modules", path));
  return {
    "the oldest Node": inProcess(node),
    // Nothing but the network and the variable with the argument.
    Deno: inProcess(deno, "run", "--allow-net", "--allow-env=GIVEN", "--no-prompt"),
    Bun: inProcess(bun),
  };
}

export const inNode: Runtime = inProcess(process.execPath);

/** A Worker that gets the argument as a request's body. */
export const inWorker: Runtime = async (folder, given) => {
  const file = async (path: string, from: string) =>
    ({ type: "ESModule", path, contents: await readFile(join(folder, from), "utf8") }) as const;
  const worker = `import { useClient } from "./use-client.mjs";
export default { fetch: async (request) => Response.json(await useClient(await request.json())) };`;
  const modules = [
    { type: "ESModule", path: "worker.mjs", contents: worker } as const,
    await file("use-client.mjs", "use-client.mjs"),
    await file("gantry-client", "node_modules/gantry-client/index.js"),
  ];
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      workers: [{ name: "user", compatibilityDate: "2026-11-02", modules }],
    }),
  );
  try {
    const answer = await miniflare.dispatchFetch("http://worker.test/", { method: "POST", body: given });
    return await answer.json();
  } finally {
    await miniflare.dispose();
  }
};

/** A page of another origin than the installation's. */
export const inChromium: Runtime = async (folder, given) => {
  const page = `<script type="importmap">{"imports":{"gantry-client":"/node_modules/gantry-client/index.js"}}</script>`;
  const server = createServer((request, response) => {
    const isPage = request.url === "/";
    response.setHeader("content-type", isPage ? "text/html" : "text/javascript");
    if (isPage) response.end(page);
    else void readFile(join(folder, request.url ?? "")).then((text) => response.end(text));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const browser = await chromium.launch({ executablePath: await executable(), args: ["--no-sandbox"] });
  try {
    const tab = await browser.newPage();
    const { port } = z.object({ port: z.number() }).parse(server.address());
    await tab.goto(`http://127.0.0.1:${port}/`);
    const expression = `import("/use-client.mjs").then(({ useClient }) => useClient(${given}))`;
    return await tab.evaluate(expression);
  } finally {
    await browser.close();
    server.close();
  }
};
