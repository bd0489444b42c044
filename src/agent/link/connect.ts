import { WebSocket } from "ws";
import * as z from "zod/mini";

import type { AgentContext } from "#agent/context/context.ts";
import { endpointUrl, isProblem, retryAfterMs } from "#agent/lib/http/control-plane.ts";
import { fitMessage } from "#agent/link/fit-message.ts";
import { readBody } from "#agent/lib/http/read-body.ts";
import { createTunnelAgent } from "#agent/lib/http/tunnel.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import {
  type ActiveRun,
  AnyRun,
  AnyWelcome,
  closeCodes,
  type FromAgent,
  LIMITED_RETRY_MS,
  MAX_LINK_MESSAGE,
  PING,
  PONG,
  PROTOCOL_VERSION,
  ToAgent,
} from "#contract/agent-protocol.ts";
import { AGENT_CONNECT_PATH } from "#contract/endpoints/agents/endpoints.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";

/** Why another try is pointless. */
export type LinkRefusal = "credential_refused" | "replaced";

export type ConnectionEnd =
  /** `retryAfterMs`: the wait that the control plane asks for; 0 when it did not ask. */
  | {
      readonly kind: "lost";
      readonly reason: string;
      readonly wasWelcome: boolean;
      readonly retryAfterMs: number;
    }
  | { readonly kind: "refused"; readonly refusal: LinkRefusal }
  /** `protocol`: the control plane's version, if it sent one. An update of either side fixes the mismatch. */
  | { readonly kind: "mismatch"; readonly protocol: number | null }
  | { readonly kind: "closed" };

export type LinkHandlers = {
  hello(): Promise<FromAgent>;
  onWelcome(): void;
  onMessage(message: Exclude<ToAgent, { type: "welcome" }>): void;
  /** @param problem which fields of the order cannot be read, and why */
  onUnreadableOrder(run: ActiveRun, problem: string): void;
  log(message: string): void;
};

export type OpenConnection = {
  readonly ended: Promise<ConnectionEnd>;
  /** Messages are held back until `welcome`: `hello` may have been created before the change that a message reports. */
  send(message: FromAgent): void;
};

/**
 * Of the longest message: a UTF-16 unit takes at most three bytes. A longer message ends the connection, and the control
 * plane sends it again after each hello: so one project's order would cut off all projects of the server.
 */
const MAX_MESSAGE_BYTES = 3 * MAX_LINK_MESSAGE;
const MAX_REFUSAL_CHARACTERS = 64 * 1024;

/** Opens one connection to the control plane and runs it until it ends. */
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

  /** Sends a message that the control plane accepts, or none: a message over its limit would end the link of the server. */
  function sendFitted(message: FromAgent): void {
    const fitted = fitMessage(message);
    if (fitted?.kind !== "complete") {
      const done = fitted === null ? "was not sent" : "was shortened";
      const project = "project_id" in message ? `${message.project_id}: ` : "";
      handlers.log(`${project}a message (${message.type}) ${done}: it is too long for the control plane`);
    }
    if (fitted !== null) socket.send(fitted.json);
  }

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
      socket.close(1000, "the agent is shutting down");
      settle({ kind: "closed" });
    };
    const welcomeTimer = setTimeout(() => lose("no welcome in time"), 2 * settings.answerMs);
    signal.addEventListener("abort", onAbort, { once: true });

    socket.on("unexpected-response", (_request, response) => {
      const { statusCode, headers } = response;
      void readBody(response, MAX_REFUSAL_CHARACTERS).then((body) => {
        // A 401 of a proxy may be gone in an hour, and an agent that has ended must be started by hand.
        if (statusCode === 401 && isProblem(body)) settle({ kind: "refused", refusal: "credential_refused" });
        else lose(`it answered ${statusCode}`, retryAfterMs(headers["retry-after"]));
      });
    });
    socket.on("error", (error) => lose(error.message === "" ? error.name : error.message));
    socket.on("close", (code, reason) => settle(readClose(code, reason.toString(), isWelcome)));
    socket.on("open", () => {
      handlers
        .hello()
        .then(sendFitted, (error: unknown) =>
          lose(`the hello message could not be created: ${messageOf(error)}`),
        );
      pings = setInterval(() => {
        if (missedPongs >= settings.missedPongs) return lose("it does not answer pings");
        missedPongs += 1;
        socket.send(PING);
      }, settings.pingMs);
    });
    socket.on("message", (data) => {
      // The control plane sends text only; ws passes it on as a Buffer.
      const text = Buffer.isBuffer(data) ? data.toString() : "";
      missedPongs = 0;
      if (text === PONG) return;
      const json = parseJson(text);
      const welcome = AnyWelcome.safeParse(json);
      if (welcome.success && welcome.data.protocol !== PROTOCOL_VERSION)
        return settle({ kind: "mismatch", protocol: welcome.data.protocol });
      const parsed = parseKnown(ToAgent, json);
      if (!parsed.success) {
        const run = AnyRun.safeParse(json);
        return run.success
          ? handlers.onUnreadableOrder(run.data.order, z.prettifyError(parsed.error))
          : handlers.log(`ignored an unknown message: ${text.slice(0, 200)}`);
      }
      const message = parsed.data;
      if (message.type !== "welcome") return handlers.onMessage(message);
      isWelcome = true;
      clearTimeout(welcomeTimer);
      for (const held of waiting.splice(0)) sendFitted(held);
      handlers.onWelcome();
    });
    if (signal.aborted) onAbort();
  });

  return {
    ended,
    send(message) {
      if (!isWelcome) waiting.push(message);
      else if (socket.readyState === WebSocket.OPEN) sendFitted(message);
    },
  };
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
