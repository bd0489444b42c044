import type { TokenId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { tooManyFollowers, upgradeHeaders } from "#worker/following/follower-limits.ts";
import { askAfter, PING, PONG } from "#worker/following/messages.ts";

/**
 * The Worker's end of a WebSocket over which a Durable Object sends news. Call `ask`, then `news`; one request at a
 * time. So the object buffers nothing for a slow client: it only stores the client's position.
 */
export class ObjectFollower<News> {
  readonly #socket: WebSocket;
  #answer = handled<News>();
  #isGone = false;
  /** Whether a message has arrived since the last ping. */
  #isAlive = true;

  private constructor(socket: WebSocket, newsOf: (message: string) => News) {
    this.#socket = socket;
    const end = () => this.#end("the object closed the connection");
    socket.addEventListener("close", end);
    socket.addEventListener("error", end);
    socket.addEventListener("message", ({ data }) => {
      this.#isAlive = true;
      if (typeof data === "string" && data !== PONG) this.#answer.resolve(newsOf(data));
    });
    socket.accept();
  }

  /**
   * @param newsOf reads an answer of the object
   * @throws if the object cannot be reached, or refuses for another reason than the number of its followers
   */
  static async connect<News>(
    object: Pick<Fetcher, "fetch">,
    url: string,
    tokenId: TokenId,
    newsOf: (message: string) => News,
  ): Promise<Result<ObjectFollower<News>, "too_many_followers">> {
    const response = await object.fetch(url, { headers: upgradeHeaders(tokenId) });
    const refused = tooManyFollowers(response);
    if (refused !== null) return refused;
    const { webSocket, status } = response;
    if (webSocket === null) throw new Error(`the object refused the upgrade with ${status}`);
    return succeed(new ObjectFollower(webSocket, newsOf));
  }

  /** Requests what comes after a position. @throws if the connection is closed */
  ask(after: number): void {
    if (this.#isGone) throw new Error("the object closed the connection");
    this.#answer = handled();
    this.#socket.send(askAfter(after));
  }

  /** @returns the answer; null if it has not arrived yet. @throws if the connection is closed or a ping was not answered */
  async news(withinMs: number): Promise<News | null> {
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => timeout.resolve(null), withinMs);
    const news = await Promise.race([this.#answer.promise, timeout.promise]).finally(() =>
      clearTimeout(timer),
    );
    if (news !== null) return news;
    if (!this.#isAlive) this.#end("the object does not answer pings");
    else {
      this.#isAlive = false;
      this.#socket.send(PING);
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

/** A promise that may be rejected before `news` awaits it, without an unhandled rejection. */
function handled<News>(): PromiseWithResolvers<News> {
  const answer = Promise.withResolvers<News>();
  answer.promise.catch(() => undefined);
  return answer;
}
