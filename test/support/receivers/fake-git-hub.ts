import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { listenLocally } from "../listen.ts";

/** The accounts at the fake GitHub, by login. */
const accounts = {
  octocat: { id: 583231, login: "octocat", name: "The Octocat", email: "octocat@example.com", orgs: true },
  noscope: { id: 583232, login: "noscope", name: null, email: "noscope@example.com", orgs: false },
} as const;

const organizations = [{ id: 9919, login: "acme" }];

/**
 * Serves what GitHub Enterprise answers to OAuth apps and of its REST API, on a real socket. Errors of OAuth come with the status 200.
 * Who asks for `login=octocat` is signed in as that.
 */
export async function serveFakeGitHub(): Promise<{ readonly url: string; close(): void }> {
  const codes = new Map<string, { readonly login: string; readonly challenge: string | null }>();
  const tokens = new Map<string, string>();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/login/oauth/authorize") {
      const code = randomUUID();
      codes.set(code, {
        login: searchParams.get("login") ?? "",
        challenge: searchParams.get("code_challenge"),
      });
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === "/login/oauth/access_token") {
      const sent = new URLSearchParams(await textOf(request));
      const code = codes.get(sent.get("code") ?? "");
      codes.delete(sent.get("code") ?? "");
      if (sent.get("client_secret") !== "not-a-real-secret")
        return void json({
          error: "incorrect_client_credentials",
          error_description: "The client_id and/or client_secret passed are incorrect.",
        });
      const challenge = createHash("sha256")
        .update(sent.get("code_verifier") ?? "")
        .digest("base64url");
      if (code === undefined || code.challenge !== challenge)
        return void json({
          error: "bad_verification_code",
          error_description: "The code passed is incorrect or expired.",
        });
      const token = randomUUID();
      tokens.set(token, code.login);
      return void json({ access_token: token, token_type: "bearer", scope: "read:user" });
    }
    const login = tokens.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    const account = Object.values(accounts).find((one) => one.login === login);
    if (account === undefined || request.headers["user-agent"] === undefined)
      return void json({ message: "Bad credentials" }, 401);
    const { email, orgs, ...user } = account;
    if (pathname === "/api/v3/user") return void json(user);
    if (pathname === "/api/v3/user/emails") return void json([{ email, primary: true, verified: true }]);
    if (pathname === "/api/v3/user/orgs" && orgs) return void json(organizations);
    json({ message: "Resource not accessible" }, 403);
  }
  const server = createServer((request, response) => void answer(request, response));
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) if (part instanceof Buffer) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
