import type { IncomingMessage } from "node:http";

import { WebSocket } from "ws";

import type { AgentContext } from "#agent/context/context.ts";
import { endpointUrl } from "#agent/lib/http/endpoint-url.ts";
import { isProblem } from "#agent/lib/http/is-problem.ts";
import { retryAfterMs } from "#agent/lib/http/retry-after.ts";
import { createTunnelAgent } from "#agent/lib/http/tunnel.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import {
  AnyWelcome,
  closeCodes,
  type FromAgent,
  LIMITED_RETRY_MS,
  PING,
  PONG,
  PROTOCOL_VERSION,
  ToAgent,
} from "#contract/agent-protocol.ts";
import { AGENT_CONNECT_PATH } from "#contract/endpoints/agents/endpoints.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { wellFormedJson } from "#contract/well-formed.ts";

/** Why trying again is of no use. */
export type LinkRefusal = "credential_refused" | "replaced";

export type ConnectionEnd =
  /** `retryAfterMs`: how long the control plane wants to be left alone; 0 where it has not said. */
  | {
      readonly kind: "lost";
      readonly reason: string;
      readonly wasWelcome: boolean;
      readonly retryAfterMs: number;
    }
  | { readonly kind: "refused"; readonly refusal: LinkRefusal }
  /** `protocol`: what the control plane speaks, if it has said so. An update of either side heals it. */
  | { readonly kind: "mismatch"; readonly protocol: number | null }
  | { readonly kind: "closed" };

export type LinkHandlers = {
  hello(): Promise<FromAgent>;
  onWelcome(): void;
  onMessage(message: Exclude<ToAgent, { type: "welcome" }>): void;
  log(message: string): void;
};

export type OpenConnection = {
  readonly ended: Promise<ConnectionEnd>;
  /** Before the welcome it waits: the greeting may have been made before what the message tells. */
  send(message: FromAgent): void;
};

const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;

/** One connection to the control plane, from the upgrade to its end. */
export function connect(
  { connection, proxy, settings }: Pick<AgentContext, "connection" | "proxy" | "settings">,
  handlers: LinkHandlers,
  signal: AbortSignal,
): OpenConnection {
  const url = endpointUrl(connection.url, AGENT_CONNECT_PATH);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url, {
    ...(proxy === null ? {} : { agent: createTunnelAgent(proxy, {}) }),
    headers: { authorization: `Bearer ${connection.credential}` },
    handshakeTimeout: settings.answerMs,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  let isWelcome = false;
  const waiting: FromAgent[] = [];
  let missedPongs = 0;
  let pings: NodeJS.Timeout | undefined;

  const ended = new Promise<ConnectionEnd>((resolve) => {
    const settle = (end: ConnectionEnd): void => {
      clearInterval(pings);
      clearTimeout(welcomeTimer);
      signal.removeEventListener("abort", onAbort);
      resolve(end);
      socket.terminate();
    };
    const lose = (reason: string, retryAfter = 0): void =>
      settle({ kind: "lost", reason, wasWelcome: isWelcome, retryAfterMs: retryAfter });
    const onAbort = (): void => {
      socket.close(1000, "the agent ends");
      settle({ kind: "closed" });
    };
    const welcomeTimer = setTimeout(() => lose("no welcome in time"), 2 * settings.answerMs);
    signal.addEventListener("abort", onAbort, { once: true });

    socket.on("unexpected-response", (_request, response) => {
      const { statusCode, headers } = response;
      void readBody(response).then((body) => {
        // One of a proxy in between may be gone in an hour, and an agent that has ended comes back by hand only.
        if (statusCode === 401 && isProblem(body)) settle({ kind: "refused", refusal: "credential_refused" });
        else lose(`it answered ${statusCode}`, retryAfterMs(headers["retry-after"]));
      });
    });
    socket.on("error", (error) => lose(error.message === "" ? error.name : error.message));
    socket.on("close", (code, reason) => settle(readClose(code, reason.toString(), isWelcome)));
    socket.on("open", () => {
      handlers.hello().then(
        (greeting) => socket.send(wellFormedJson(greeting)),
        (error: unknown) => lose(`the greeting cannot be made: ${messageOf(error)}`),
      );
      pings = setInterval(() => {
        if (missedPongs >= settings.missedPongs) return lose("it does not answer pings");
        missedPongs += 1;
        socket.send(PING);
      }, settings.pingMs);
    });
    socket.on("message", (data) => {
      // The control plane speaks text only; ws hands that over as a Buffer.
      const text = Buffer.isBuffer(data) ? data.toString() : "";
      missedPongs = 0;
      if (text === PONG) return;
      const json = parseJson(text);
      const welcome = AnyWelcome.safeParse(json);
      if (welcome.success && welcome.data.protocol !== PROTOCOL_VERSION)
        return settle({ kind: "mismatch", protocol: welcome.data.protocol });
      const parsed = parseKnown(ToAgent, json);
      const message = parsed.success ? parsed.data : null;
      if (message === null)
        return handlers.log(`a message that makes no sense is ignored: ${text.slice(0, 200)}`);
      if (message.type !== "welcome") return handlers.onMessage(message);
      isWelcome = true;
      clearTimeout(welcomeTimer);
      for (const held of waiting.splice(0)) socket.send(wellFormedJson(held));
      handlers.onWelcome();
    });
    if (signal.aborted) onAbort();
  });

  return {
    ended,
    send(message) {
      if (!isWelcome) waiting.push(message);
      else if (socket.readyState === WebSocket.OPEN) socket.send(wellFormedJson(message));
    },
  };
}

/** The body of an answer, as far as it comes. Never rejects. */
async function readBody(response: IncomingMessage): Promise<string> {
  let body = "";
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // It broke off.
  }
  return body;
}

function readClose(code: number, reason: string, wasWelcome: boolean): ConnectionEnd {
  switch (code) {
    case closeCodes.replaced:
      return { kind: "refused", refusal: "replaced" };
    case closeCodes.credentialRevoked:
      return { kind: "refused", refusal: "credential_refused" };
    case closeCodes.protocolMismatch:
      return { kind: "mismatch", protocol: null };
    default:
      return {
        kind: "lost",
        reason: reason === "" ? `closed with ${code}` : reason,
        wasWelcome,
        retryAfterMs: code === closeCodes.limited ? LIMITED_RETRY_MS : 0,
      };
  }
}
