import { PING, PONG } from "#contract/agent-protocol.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { tooManyFollowers, upgradeHeaders } from "#worker/following/follower-limits.ts";
import {
  OUTPUT_HEADER,
  OUTPUT_PATH,
  OutputNews,
  type OutputRequest,
} from "#worker/following/output/output-news.ts";
import { parseJson } from "#contract/parse-json.ts";

/** `alive`: a heartbeat without lines. */
export type OutputEvent = { readonly type: "alive" } | ({ readonly type: "output" } & OutputNews);

/** The most text that waits for a client that reads slowly, in UTF-16 code units. What comes then is left out. */
const MAX_WAITING = 1024 * 1024;

/**
 * Connects a reader to the link of a project's server.
 * @returns the events until the connection ends or `signal` is aborted
 * @throws if the link cannot be reached
 */
export async function followOutput(
  { links, near, token }: Pick<Context, "links" | "near" | "token">,
  { serverId, serverLocation }: Pick<LocatedProject, "serverId" | "serverLocation">,
  request: OutputRequest,
  heartbeatMs: number,
): Promise<
  Result<(signal: AbortSignal) => AsyncGenerator<OutputEvent>, "server_offline" | "too_many_followers">
> {
  const offline = refuse("server_offline", `The agent of ${serverId} is not connected.`);
  // This would create the link here, and not where the agent will enrol.
  if (serverLocation === "pending") return offline;
  const link = links.getByName(serverId, near(serverLocation));
  const response = await link.fetch(`https://link${OUTPUT_PATH}`, {
    headers: { ...upgradeHeaders(token.id), [OUTPUT_HEADER]: JSON.stringify(request) },
  });
  const refused = tooManyFollowers(response);
  if (refused !== null) return refused;
  const { status, webSocket } = response;
  if (status === 409) return offline;
  if (webSocket === null) throw new Error(`the link answered ${status}`);
  return succeed((signal) => eventsOf(webSocket, heartbeatMs, signal));
}

async function* eventsOf(
  socket: WebSocket,
  heartbeatMs: number,
  signal: AbortSignal,
): AsyncGenerator<OutputEvent> {
  const waiting: OutputNews[] = [];
  let size = 0;
  let leftOut = 0;
  let isOpen = true;
  let isAlive = true;
  let wake = () => undefined as void;
  const end = () => {
    isOpen = false;
    wake();
  };
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  signal.addEventListener("abort", end);
  socket.addEventListener("message", ({ data }) => {
    isAlive = true;
    if (typeof data !== "string" || data === PONG) return;
    const news = OutputNews.parse(parseJson(data));
    if (size > MAX_WAITING) leftOut += news.lines.length;
    else {
      size += data.length;
      waiting.push(news);
    }
    wake();
  });
  socket.accept();
  try {
    while (isOpen) {
      const [...taken] = waiting;
      waiting.length = 0;
      size = 0;
      for (const news of taken) yield { type: "output", ...news };
      if (leftOut > 0 && waiting.length === 0) {
        const lost = leftOut;
        leftOut = 0;
        yield { type: "output", lines: [], leftOut: lost };
      }
      if (waiting.length > 0 || !isOpen) continue;
      const timer = setTimeout(() => wake(), heartbeatMs);
      await new Promise<void>((resolve) => (wake = resolve));
      clearTimeout(timer);
      if (waiting.length > 0 || !isOpen) continue;
      if (!isAlive) return;
      isAlive = false;
      socket.send(PING);
      yield { type: "alive" };
    }
  } finally {
    signal.removeEventListener("abort", end);
    socket.close(1000);
  }
}
