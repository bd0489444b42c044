import { inject } from "vitest";

import {
  Connection,
  type CreateConnectionInput,
  SignInStarted,
} from "#contract/endpoints/connections/schemas.ts";
import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { sha256 } from "#sealing/bytes.ts";
import type * as z from "zod/mini";
import type { IssuerAnswer } from "../receivers/issuer-server.ts";
import { call, ORIGIN } from "./call.ts";

export const client = { client_id: "gantry", client_secret: "not-a-real-secret" } as const;

type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const people = {
  grace: { email: "grace@example.com", email_verified: true, name: "Grace Hopper", groups: ["dev"] },
  ada: { email: "ada@example.com", email_verified: true, name: "Ada Lovelace", groups: ["admins", "dev"] },
  eve: { email: "grace@example.com", email_verified: false, name: "Eve", groups: ["dev"] },
} as const satisfies People;

/** A provider of OpenID Connect on a real socket. */
export class TestProvider {
  readonly url: string;

  constructor(at: 0 | 1 = 0) {
    this.url = inject("openIdUrls")[at];
  }

  /** A provider that knows these people and answers as it is. */
  static async reset(at: 0 | 1 = 0, known: People = people): Promise<TestProvider> {
    const provider = new TestProvider(at);
    await provider.set({ people: known, answers: {} });
    return provider;
  }

  async set(control: {
    readonly people?: People;
    readonly answers?: Readonly<Record<string, IssuerAnswer>>;
  }): Promise<void> {
    await (await fetch(`${this.url}/control`, { method: "PUT", body: JSON.stringify(control) })).text();
  }
}

export const gitHubUrl = () => inject("gitHubUrl");

/** Creates a connection. @param token of an owner */
export async function createConnection(
  token: string,
  input: Partial<z.input<typeof CreateConnectionInput>>,
): Promise<Connection> {
  const response = await requestConnection(token, input);
  if (response.status !== 201) throw new Error(await response.text());
  return Connection.parse(await response.json());
}

export async function requestConnection(
  token: string,
  input: Partial<z.input<typeof CreateConnectionInput>>,
): Promise<Response> {
  const body = { name: "Okta", ...client, scopes: ["openid", "email", "profile", "groups"], ...input };
  return await call("/v1/connections", { method: "POST", token, body });
}

/** A tab of a browser: it has a secret, and cookies of the provider. */
export class Tab {
  readonly binding = crypto.randomUUID();
  readonly #cookies = new Map<string, string>();

  async bindingHash(): Promise<string> {
    return await sha256(this.binding);
  }

  /** Starts a sign-in. @returns the address at which it continues */
  async start({ id }: Pick<Connection, "id">): Promise<string> {
    const body = { connection_id: id, binding_hash: await this.bindingHash() };
    const response = await call("/v1/sign-in/start", { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
    return SignInStarted.parse(await response.json()).url;
  }

  /** As `start`, of somebody who is signed in. */
  async startAs(
    token: string,
    act: "confirm" | "add_identity",
    { id }: Pick<Connection, "id">,
  ): Promise<string> {
    const body = { act, connection_id: id, binding_hash: await this.bindingHash() };
    const response = await call("/v1/session/provider", { method: "POST", token, body });
    if (!response.ok) throw new Error(await response.text());
    return SignInStarted.parse(await response.json()).url;
  }

  /** Signs in at the provider and follows its redirects to the callback. @param login null: the person cancels */
  async visit(url: string, login: string | null): Promise<ProviderAnswer> {
    let at = new URL(url);
    if (login !== null) for (const name of ["login_hint", "login"]) at.searchParams.set(name, login);
    for (let hops = 0; hops < 10; hops += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(at, { redirect: "manual", headers: { cookie } });
      for (const line of response.headers.getSetCookie()) this.#keep(line);
      const location = response.headers.get("location");
      const text = await response.text();
      if (location === null) throw new Error(`${at.href}: ${response.status} ${text}`);
      at = new URL(location, at);
      if (at.origin === ORIGIN) return { query: at.search, binding: this.binding };
    }
    throw new Error("too many redirects");
  }

  #keep(line: string): void {
    const [pair = ""] = line.split(";");
    const [name = "", ...value] = pair.split("=");
    this.#cookies.set(name, value.join("="));
  }
}

/** What a provider sends back after a sign-in that a new tab has started. */
export async function answerOf(
  connection: Pick<Connection, "id">,
  login: string | null,
): Promise<ProviderAnswer> {
  const tab = new Tab();
  return await tab.visit(await tab.start(connection), login);
}

export async function send(provider: ProviderAnswer, more: object = {}): Promise<Response> {
  return await call("/v1/sessions", { method: "POST", body: { provider, ...more } });
}

/** Signs in by a provider, in a new tab. */
export async function signInBy(
  connection: Pick<Connection, "id">,
  login: string,
  more: object = {},
): Promise<Response> {
  return await send(await answerOf(connection, login), more);
}

/** Lets a member sign in by a provider. */
export async function addIdentity(
  token: string,
  connection: Pick<Connection, "id">,
  login: string,
): Promise<Response> {
  const tab = new Tab();
  const answer = await tab.visit(await tab.startAs(token, "add_identity", connection), login);
  return await call("/v1/me/identities", { method: "POST", token, body: answer });
}
