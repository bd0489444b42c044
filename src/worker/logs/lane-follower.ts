import type { DeploymentId } from "#contract/ids.ts";
import { askAfter, LANE_PING, LANE_PONG, type LaneWord, laneWords } from "#worker/logs/lane-news.ts";
import { linesOf, type StoredLine } from "#worker/logs/stored-lines.ts";

export type LaneNews =
  | { readonly kind: "lines"; readonly lines: readonly StoredLine[] }
  | { readonly kind: LaneWord };

/** The Worker's end of a WebSocket to a lane that tells of a log. Ask, then wait for the answer; one at a time. */
export class LaneFollower {
  readonly #socket: WebSocket;
  #answer = Promise.withResolvers<LaneNews>();
  #isGone = false;
  #isHeard = true;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    const end = () => this.#end("the lane has gone");
    socket.addEventListener("close", end);
    socket.addEventListener("error", end);
    socket.addEventListener("message", ({ data }) => {
      this.#isHeard = true;
      if (typeof data === "string" && data !== LANE_PONG) this.#answer.resolve(newsOf(data));
    });
    socket.accept();
  }

  /** Throws where the lane cannot be reached. */
  static async connect(lane: Pick<Fetcher, "fetch">, id: DeploymentId): Promise<LaneFollower> {
    const { webSocket } = await lane.fetch(`https://lane/${id}`, { headers: { upgrade: "websocket" } });
    if (webSocket === null) throw new Error("the lane made no upgrade");
    return new LaneFollower(webSocket);
  }

  /** Asks for what follows a line. Throws once the lane has gone. */
  ask(afterLine: number): void {
    if (this.#isGone) throw new Error("the lane has gone");
    this.#answer = Promise.withResolvers();
    // It may fail while nobody waits for it; whoever waits next learns of it.
    this.#answer.promise.catch(() => undefined);
    this.#socket.send(askAfter(afterLine));
  }

  /** The answer; null where it has not come yet. Throws once the lane has gone, or does not even answer pings. */
  async news(withinMs: number): Promise<LaneNews | null> {
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => timeout.resolve(null), withinMs);
    const news = await Promise.race([this.#answer.promise, timeout.promise]).finally(() =>
      clearTimeout(timer),
    );
    if (news !== null) return news;
    if (!this.#isHeard) this.#end("the lane is silent");
    else {
      this.#isHeard = false;
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
