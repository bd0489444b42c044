import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * A fault of a request for a part: the connection ends before an answer (`lost`), nothing moves (`hung`), in the middle of the content (`cut`), after the part
 * is stored (`answer_lost`), the content has a flipped bit, or the request is refused with a status, with the control plane's problem or a
 * proxy's page.
 */
export type PartFault =
  | "lost"
  | "hung"
  | "cut"
  | "answer_lost"
  | "flipped"
  | "proxy"
  | 401
  | 403
  | 404
  | 429
  | 503;

export type PartRequest = {
  readonly method: "PUT" | "GET";
  readonly part: number;
  /** How many requests for parts there were before. */
  readonly count: number;
};

/** The parts of artifacts that the fake control plane stores. Several can share them, as the servers of an account do. */
export class FakeArtifacts {
  /** By `project/sha256/part`. */
  readonly stored = new Map<string, Buffer>();
  readonly requests: PartRequest[] = [];
  faultOf: (request: PartRequest) => PartFault | null = () => null;
  /** Called with each piece of an upload, before the next is read. */
  onPiece: (request: PartRequest) => Promise<void> = async () => undefined;

  /** @returns the reason if the request breaks the protocol; null if not */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    refuse: (status: number) => void,
  ): Promise<string | null> {
    const match = /^\/v1\/agent\/artifacts\/(proj_\w+\/[0-9a-f]{64})\/([1-9]\d?)$/.exec(request.url ?? "");
    const { method } = request;
    if (match === null || (method !== "PUT" && method !== "GET")) {
      refuse(404);
      return `unknown request ${method} ${request.url}`;
    }
    const asked: PartRequest = { method, part: Number(match[2]), count: this.requests.length };
    this.requests.push(asked);
    const fault = this.faultOf(asked);
    const key = `${match[1]}/${match[2]}`;
    if (fault === "lost") response.destroy();
    else if (fault === "hung") return null;
    else if (fault === "proxy")
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
    else if (typeof fault === "number") refuse(fault);
    else if (method === "PUT") return await this.#store(request, response, { key, asked, fault });
    else this.#send(response, key, fault, refuse);
    return null;
  }

  async #store(
    request: IncomingMessage,
    response: ServerResponse,
    {
      key,
      asked,
      fault,
    }: { readonly key: string; readonly asked: PartRequest; readonly fault: PartFault | null },
  ): Promise<string | null> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) {
        pieces.push(Buffer.from(piece));
        await this.onPiece(asked);
        if (fault === "cut") {
          request.destroy();
          return null;
        }
      }
    } catch {
      // The agent was killed, or has cut the connection.
      return null;
    }
    const content = Buffer.concat(pieces);
    if (Number(request.headers["content-length"]) !== content.length)
      return "a part of another length than announced";
    const before = this.stored.get(key);
    if (before !== undefined && !before.equals(content)) return `part ${key} has other bytes than before`;
    this.stored.set(key, content);
    if (fault === "answer_lost") response.destroy();
    else response.writeHead(204).end();
    return null;
  }

  #send(
    response: ServerResponse,
    key: string,
    fault: PartFault | null,
    refuse: (status: number) => void,
  ): void {
    const content = this.stored.get(key);
    if (content === undefined) return refuse(404);
    const sent = Buffer.from(content);
    if (fault === "flipped") sent[0] = (sent[0] ?? 0) ^ 1;
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": sent.length });
    if (fault === "cut") response.write(sent.subarray(0, sent.length / 2), () => response.destroy());
    else response.end(sent);
  }

  /** Changes what is stored. */
  change(part: number, changed: (content: Buffer) => Buffer): void {
    for (const [key, content] of this.stored)
      if (key.endsWith(`/${part}`)) this.stored.set(key, changed(content));
  }
}
