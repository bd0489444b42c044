import { readFile } from "node:fs/promises";
import { type IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import { readSite } from "#agent/ingress/site-file.ts";
import { ingressPages, PAUSE_SECONDS } from "#agent/ingress/page.ts";
import { isPaused } from "#agent/ingress/pause-files.ts";
import type { slotFiles } from "#agent/ingress/slots.ts";
import { HEALTH_CHECK_AGENT } from "#agent/lib/http/health-check-agent.ts";
import { sendIngressPage, sendMaintenance } from "#agent/sites/pages.ts";
import { proxyRequest, proxyUpgrade } from "#agent/sites/proxy/proxy-request.ts";
import { sendEarlierAsset, serveSite } from "#agent/sites/serve-site.ts";
import { pause } from "#contract/lib/pause.ts";
import { fileExists } from "#node/file-exists.ts";

/** Where a project is, read for each request. */
export type ServedProject = {
  readonly directory: string;
  readonly files: ReturnType<typeof slotFiles>;
};

const PAUSED_POLL_MS = 100;

/** Answers a request to a project: with its files, or with what its app answers. Never throws. */
export async function serveProject(
  project: ServedProject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (await decide(project, request, response)) {
    case "answered":
      return;
    case "files":
      return serveSite(project.directory, request, response);
    case "app":
      return proxyRequest(project.files.slots, request, response, () =>
        sendEarlierAsset(project.directory, request, response),
      );
  }
}

/** Answers a request for another protocol, such as a WebSocket. @param head what the visitor has sent after it */
export async function serveUpgrade(
  project: ServedProject,
  request: IncomingMessage,
  head: Buffer,
): Promise<void> {
  const visitor = request.socket;
  visitor.on("error", () => visitor.destroy());
  const response = new ServerResponse(request);
  response.assignSocket(visitor);
  // What the visitor sends next is not read as another request.
  response.shouldKeepAlive = false;
  response.once("finish", () => visitor.end());
  switch (await decide(project, request, response)) {
    case "answered":
      return;
    case "files":
      return serveSite(project.directory, request, response);
    case "app":
      return proxyUpgrade(project.files.slots, request, response, head);
  }
}

/** Waits while the project is paused, and answers the request itself if the project must not. */
async function decide(
  { directory, files }: ServedProject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<"files" | "app" | "answered"> {
  const isCheck = request.headers["user-agent"] === HEALTH_CHECK_AGENT;
  if (!isCheck) await waitForPause(files, response);
  if (response.destroyed) return "answered";
  const page = isCheck ? null : await readFile(files.maintenance, "utf8").catch(() => null);
  if (page !== null) {
    sendMaintenance(response, page);
    return "answered";
  }
  if (!(await isApp(directory, files))) return "files";
  if (await fileExists(files.stopped)) {
    sendIngressPage(response, ingressPages.stopped);
    return "answered";
  }
  return "app";
}

/** Waits while the project is paused and not in maintenance, at most 30 s and as long as the visitor waits. */
async function waitForPause(files: ServedProject["files"], response: ServerResponse): Promise<void> {
  const endsAt = performance.now() + PAUSE_SECONDS * 1000;
  while (await isPaused(files, Date.now())) {
    if (response.destroyed || performance.now() >= endsAt || (await fileExists(files.maintenance))) return;
    await pause(PAUSED_POLL_MS);
  }
}

/**
 * Whether the domain leads to instances. The slots stay when an app becomes files, so its site file decides. A static site
 * has neither.
 */
async function isApp(directory: string, { slots, stopped }: ServedProject["files"]): Promise<boolean> {
  const [first = ""] = slots;
  if (!(await fileExists(first)) && !(await fileExists(stopped))) return false;
  const site = await readSite({ site: join(directory, "site.json") });
  return site.kind === "site" && site.site.content.kind === "app";
}
