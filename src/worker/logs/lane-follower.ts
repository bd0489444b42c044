import type { DeploymentId } from "#contract/ids.ts";
import { askAfter, LANE_PING, LANE_PONG, type LaneWord, laneWords } from "#worker/logs/lane-news.ts";
import { linesOf, type StoredLine } from "#worker/logs/stored-lines.ts";

export type LaneNews =
  | { readonly kind: "lines"; readonly lines: readonly StoredLine[] }
  | { readonly kind: LaneWord };

/** The Worker's end of a WebSocket over which a lane sends a log. Call `ask`, then `news`; one request at a time. */
export class LaneFollower {
  readonly #socket: WebSocket;
  #answer = Promise.withResolvers<LaneNews>();
  #isGone = false;
  /** Whether a message has arrived since the last ping. */
  #isAlive = true;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    const end = () => this.#end("the lane closed the connection");
    socket.addEventListener("close", end);
    socket.addEventListener("error", end);
    socket.addEventListener("message", ({ data }) => {
      this.#isAlive = true;
      if (typeof data === "string" && data !== LANE_PONG) this.#answer.resolve(newsOf(data));
    });
    socket.accept();
  }

  /** @throws if the lane cannot be reached */
  static async connect(lane: Pick<Fetcher, "fetch">, id: DeploymentId): Promise<LaneFollower> {
    const { webSocket } = await lane.fetch(`https://lane/${id}`, { headers: { upgrade: "websocket" } });
    if (webSocket === null) throw new Error("the lane refused the upgrade");
    return new LaneFollower(webSocket);
  }

  /** Requests the lines after `afterLine`. @throws if the connection is closed */
  ask(afterLine: number): void {
    if (this.#isGone) throw new Error("the lane closed the connection");
    this.#answer = Promise.withResolvers();
    // Prevents an unhandled rejection: the next call of `news` throws the error.
    this.#answer.promise.catch(() => undefined);
    this.#socket.send(askAfter(afterLine));
  }

  /** @returns the answer; null if it has not arrived yet. @throws if the connection is closed or a ping was not answered */
  async news(withinMs: number): Promise<LaneNews | null> {
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => timeout.resolve(null), withinMs);
    const news = await Promise.race([this.#answer.promise, timeout.promise]).finally(() =>
      clearTimeout(timer),
    );
    if (news !== null) return news;
    if (!this.#isAlive) this.#end("the lane does not answer pings");
    else {
      this.#isAlive = false;
      this.#socket.send(LANE_PING);
    }
    return null;
  }

  close(): void {
    this.#end("closed");
    this.#socket.close(1000);
  }

  #end(why: string): void {
    this.#isGone = true;
    this.#answer.reject(new Error(why));
  }
}

function newsOf(data: string): LaneNews {
  const kind = Object.values(laneWords).find((word) => word === data);
  return kind === undefined ? { kind: "lines", lines: linesOf(data) } : { kind };
}
