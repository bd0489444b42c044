import { readdirSync, readFileSync } from "node:fs";

import { localSlotsFolder, slotFiles } from "#agent/ingress/slots.ts";
import { livingPids, RUN_MARKER, variableOf } from "#build/process/process-table.ts";

import type { AgentWorld } from "./harness.ts";

/**
 * A server whose answers name its release and its instance. `/slow` takes 300 ms, `/exit` ends it, `/env/NAME` answers
 * with a variable. It listens once the file in the variable WAIT_FOR exists, if that is set.
 */
const server = `
const { createServer } = require("node:http");
const { existsSync } = require("node:fs");
const { GANTRY_INSTANCE, PORT, HOST, WAIT_FOR } = process.env;
const answer = (request, response) => {
  const [, what, name] = request.url.split("/");
  if (what === "exit") process.exit(1);
  const text = what === "env" ? (process.env[name] ?? "") : require("node:fs").readFileSync("version.txt", "utf8").trim() + " " + GANTRY_INSTANCE;
  const status = existsSync("sick") && what === "up" ? 503 : 200;
  const isRedirected = existsSync("https-only") && request.headers["x-forwarded-proto"] !== "https";
  if (isRedirected || existsSync("redirects")) return response.writeHead(301, { location: "https://shop.test" + request.url }).end();
  const send = () => response.writeHead(status, { "x-host": request.headers.host }).end(text);
  if (what === "slow") setTimeout(send, 300);
  else send();
};
const listen = () => {
  if (WAIT_FOR && !existsSync(WAIT_FOR)) return setTimeout(listen, 20);
  createServer(answer).listen(Number(PORT), HOST, () => console.log("listening"));
};
listen();
process.on("SIGTERM", () => process.exit(0));
`;

/** The files of the app, at a version that its answers name. */
export const smallApp = (version: string) => ({ "server.js": server, "version.txt": version });

/** The processes of a project with this app. */
export const smallWeb = { command: "exec node server.js" };

/** The addresses that the project's slots lead to, each once. */
export function slotAddresses(world: AgentWorld): readonly string[] {
  const { slots } = slotFiles(localSlotsFolder(world.home), world.projectId);
  return [...new Set(slots.map((path) => readFileSync(path, "utf8")))];
}

/** Requests a path of the app as a visitor would, through one of its slots. */
export async function visit(world: AgentWorld, path = "/"): Promise<string> {
  const [address] = slotAddresses(world);
  const response = await fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(30_000) });
  return response.text();
}

/** The instances that are noted, in order. */
export function notedInstances(world: AgentWorld): readonly string[] {
  return namesIn(world.path("instances")).map((name) => name.replace(/\.json$/, ""));
}

/** The instances with a living process, in order. */
export function runningInstances(world: AgentWorld): readonly string[] {
  const start = `app-${world.projectId}-`;
  const names = livingPids().flatMap((pid) => {
    const value = variableOf(pid, RUN_MARKER).value ?? "";
    return value.startsWith(start) ? [value.slice(start.length)] : [];
  });
  return [...new Set(names)].toSorted();
}

const namesIn = (path: string) => {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return [];
  }
};
