import { setTimeout as pause } from "node:timers/promises";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import gitlabPush from "../../support/deliveries/gitlab-push.json" with { type: "json" };
import { type JobIssuer, startJobIssuer } from "../../support/job-issuer.ts";
import { type Gantry, useGantry } from "./gantry.ts";
import type { Request, Sender } from "./request.ts";
import { WEAK_SCOPE } from "./spoil.ts";
import { runAgent, type RunningAgent } from "./running-agent.ts";
import { Owner } from "./owner.ts";
import { isOfPeople } from "./requests.ts";
import { ID_KINDS, STAND_IN } from "./values.ts";

/** The maximum number of ids of a kind, so that existing ones are drawn often. */
const POOL = 12;

/** So many that most of the drawn commands and projects belong together. */
const COMMANDS = 8;
/** So many that most of the drawn events are deliveries to the webhook. */
const DELIVERIES = 8;

const ID = new RegExp(`\\b(?:${ID_KINDS})_[0-7][0-9a-hjkmnp-tv-z]{25}\\b`, "g");

/** Of every hook here. Who sends a token, sends it too. */
const HOOK_SECRET = "a-secret-of-the-playground";

/** The event stream of a queued deployment would last for minutes. */
const SILENT_MS = 100;

type Secrets = Record<Sender, string | null>;

/** An account with servers, projects, deployments and tokens, and what a request needs to be about them. */
export class Playground {
  readonly #gantry: Gantry;
  readonly #agent: RunningAgent;
  readonly #issuer: JobIssuer;
  readonly #serverId: string;
  /** Of the account of the sign-in links. */
  readonly #person: Owner;
  /** The secrets of each kind of sender. */
  readonly #secrets: Secrets;
  /** The ids of the tokens in use, which no request may revoke. */
  readonly #kept: ReadonlySet<string>;
  readonly #ids = new Map<string, string[]>();

  private constructor(
    gantry: Gantry,
    agent: RunningAgent,
    issuer: JobIssuer,
    person: Owner,
    serverId: string,
    secrets: Secrets,
    kept: ReadonlySet<string>,
  ) {
    this.#gantry = gantry;
    this.#agent = agent;
    this.#issuer = issuer;
    this.#person = person;
    this.#serverId = serverId;
    this.#secrets = secrets;
    this.#kept = kept;
  }

  static async open(): Promise<Playground> {
    const shared = await useGantry();
    // Passkeys do not work at an address with an IP number.
    const gantry: Gantry = { ...shared, url: shared.url.replace("127.0.0.1", "localhost") };
    const post = async (path: string, body: unknown): Promise<unknown> =>
      await (await send(gantry, path, body)).json();
    const server = ServerCreated.parse(await post("/v1/servers", { name: "main", ip: "192.0.2.1" }));
    const agent = await runAgent(gantry.url, server.enrollment.token);
    const weak = TokenWithSecret.parse(await post("/v1/tokens", { name: "weak", scopes: [WEAK_SCOPE] }));
    const secrets = {
      owner: gantry.token,
      person: null,
      session: null,
      agent: agent.credential,
      "other-account": gantry.othersToken,
      weak: weak.token,
      nobody: null,
      nonsense: "gantry_nonsense",
    };
    const { token } = Account.parse(await (await get(gantry, "/v1/account")).json());
    const kept = new Set([token.id, weak.id]);
    const person = await Owner.join(gantry.url, gantry.signInCode());
    const issuer = await startJobIssuer();
    const playground = new Playground(gantry, agent, issuer, person, server.id, secrets, kept);
    playground.#note(server.id);
    return playground;
  }

  /** Makes sure that there is something of everything: requests may have deleted it. @param name of the operation */
  async replenish(name: string): Promise<void> {
    await this.#person.signIn();
    this.#secrets.person = this.#person.token;
    // An account has few people.
    if (isOfPeople(name) || name === "lookUpInvitation") {
      const { text, invitationCode } = await this.#person.makeSome();
      this.#noteAll(text);
      this.#note(invitationCode, "invite");
    }
    // A person has few passkeys.
    if (name.includes("Passkey")) this.#noteAll(await this.#person.addPasskey());
    if (/Connection$|^startSignIn$|^startProvider$/.test(name))
      this.#noteAll(await this.#person.addConnection());
    const server_id = this.#serverId;
    const suffix = Math.random().toString(36).slice(2, 8);
    const processes = { web: { command: "node server.js" }, worker: { command: "npm run worker" } };
    const settings = {
      name: `project ${suffix}`,
      server_id,
      repository: "/srv/git/shop.git",
      processes,
      artifact_uploads: true,
    };
    const created = await this.#make("/v1/projects", settings);
    // No agent of this server ever connects, so deployments that are started there wait.
    const idle = await this.#make("/v1/servers", { name: `server ${suffix}`, ip: "192.0.2.2" });
    const waiting = await this.#make("/v1/projects", {
      ...settings,
      name: `idle ${suffix}`,
      server_id: idle,
    });
    await this.#make("/v1/servers", { name: `spare ${suffix}`, ip: "192.0.2.3" });
    await this.#make("/v1/tokens", { name: "spare", scopes: ["tokens:read"] });
    await this.#addPush(`https://git.test/${suffix}.git`);
    this.#note(this.#gantry.signInCode(), "code");
    const session = await send(this.#gantry, "/v1/sessions", { code: this.#gantry.signInCode() });
    this.#secrets.session = SessionCreated.parse(await session.json()).token;
    const careful = { ...settings, name: `careful ${suffix}`, approval: "required" };
    const approved = await this.#make("/v1/projects", careful);
    for (const project of [waiting, created, created, created, approved, approved, approved])
      await this.#make(`/v1/projects/${project}/deployments`, {});
    for (let count = 0; count < COMMANDS; count += 1)
      await this.#make(`/v1/projects/${created}/commands`, { command: "true" });
    // Events name objects that were deleted since, so only their own ids are noted.
    const events = await (await get(this.#gantry, "/v1/events")).text();
    for (const [id] of events.matchAll(/evt_[0-9a-z]{26}/g)) this.#note(id);
    await this.#addWebhook();
    await this.#addTrustRule();
    for (let tries = 0; tries < 100; tries += 1) {
      const path = `/v1/projects/${created}/deployments?status=building`;
      if (!(await (await get(this.#gantry, path)).text()).includes('"id"')) return;
      await pause(20);
    }
  }

  /** Adds a webhook whose target nobody serves, and deliveries to it. */
  async #addWebhook(): Promise<void> {
    const target = { kind: "standard", url: "http://127.0.0.1:9/", events: ["audit.*"] };
    const webhook = await this.#make("/v1/webhooks", target);
    const test = `${this.#gantry.url}/v1/webhooks/${webhook}/test`;
    const headers = { "content-type": "application/json", authorization: `Bearer ${this.#gantry.token}` };
    for (let count = 0; count < DELIVERIES; count += 1)
      this.#noteAll(await (await fetch(test, { method: "POST", headers, body: "{}" })).text());
    this.#note(webhook);
  }

  /** Adds a trust rule, and identity tokens that it trusts. */
  async #addTrustRule(): Promise<void> {
    const trusted = { provider: "other", issuer: this.#issuer.url, subject: "job" };
    await this.#make("/v1/trust-rules", { name: "jobs", ...trusted, scopes: ["projects:read"] });
    for (let count = 0; count < POOL; count += 1)
      this.#note(this.#issuer.token(this.#gantry.url, { sub: "job" }), "identity");
  }

  /** Adds a hook for a repository, and a push that it receives. */
  async #addPush(repository: string): Promise<void> {
    const hook = await this.#make("/v1/hooks", { forge: "gitlab", repository, secret: HOOK_SECRET });
    const name = repository.slice("https://git.test/".length, -".git".length);
    await fetch(`${this.#gantry.url}/v1/hooks/${hook}/receive`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-gitlab-event": "Push Hook",
        "x-gitlab-token": HOOK_SECRET,
      },
      body: JSON.stringify({ ...gitlabPush, project: { path_with_namespace: name } }),
    });
    this.#noteAll(await (await get(this.#gantry, `/v1/hooks/${hook}/pushes`)).text());
  }

  /** Sends a request, with ids of this place in it. */
  async send(request: Request): Promise<{ answer: Response; text: string }> {
    const secret = this.#secrets[request.sender];
    const list = this.#withIds(request.path.split("?")[0] ?? "");
    const path = this.#withIds(this.#withCursor(request.path, list));
    const headers = Object.entries(request.headers).map(([name, value]) => [name, this.#withIds(value)]);
    const answer = await fetch(this.#gantry.url + path, {
      method: request.method,
      redirect: "manual",
      headers: {
        ...Object.fromEntries(headers),
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        ...(secret !== null && path.endsWith("/receive") ? { "x-gitlab-token": HOOK_SECRET } : {}),
      },
      ...(request.body === null ? {} : { body: new TextEncoder().encode(this.#withIds(request.body)) }),
    });
    const text = await textOf(answer);
    if (answer.ok && !path.startsWith("/v1/account")) {
      this.#noteAll(text);
      // A cursor belongs to the list that gave it.
      for (const [, cursor = ""] of text.matchAll(/"next_cursor":"([^"]+)"/g)) this.#note(cursor, list);
    }
    return { answer, text };
  }

  async close(): Promise<void> {
    this.#issuer.close();
    await this.#agent.close();
  }

  async #make(path: string, body: unknown): Promise<string> {
    const text = await (await send(this.#gantry, path, body)).text();
    this.#noteAll(text);
    return /"id":"(\w+)"/.exec(text)?.[1] ?? "";
  }

  /** A list that has not given one yet is asked from its beginning. */
  #withCursor(path: string, list: string): string {
    const cursors = this.#ids.get(list) ?? [];
    return path.replace(/([?&])cursor=@cursor:(\d+)/, (_, mark: string, at: string) => {
      const cursor = cursors[Number(at) % Math.max(1, cursors.length)];
      return cursor === undefined ? mark : `${mark}cursor=${encodeURIComponent(cursor)}`;
    });
  }

  #withIds(text: string): string {
    return text.replace(STAND_IN, (_, kind: string, at: string) => {
      const ids = this.#ids.get(kind) ?? [];
      return ids[Number(at) % Math.max(1, ids.length)] ?? `${kind}_${"0".repeat(26)}`;
    });
  }

  #noteAll(text: string): void {
    // Of new servers only: with one of its own the agent would be locked out.
    for (const [, token = ""] of text.matchAll(/"enrollment":\{"token":"([^"]+)"/g))
      this.#note(token, "enroll");
    for (const [id] of text.matchAll(ID)) this.#note(id);
  }

  #note(id: string, kind = id.slice(0, id.indexOf("_"))): void {
    if (this.#kept.has(id) || this.#person.kept.has(id)) return;
    const ids = (this.#ids.get(kind) ?? []).filter((one) => one !== id);
    this.#ids.set(kind, [id, ...ids].slice(0, POOL));
  }
}

/** The body; of a stream of events, what comes of it before it falls silent. */
async function textOf(answer: Response): Promise<string> {
  if (answer.body === null || answer.headers.get("content-type") !== "text/event-stream")
    return await answer.text();
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const next = await Promise.race([reader.read(), pause(SILENT_MS, null)]);
    if (next?.value === undefined) break;
    text += decoder.decode(next.value, { stream: true });
  }
  await reader.cancel();
  return text;
}

async function send(gantry: Gantry, path: string, body: unknown): Promise<Response> {
  const answer = await fetch(gantry.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${gantry.token}` },
    body: JSON.stringify(body),
  });
  // A full account or queue is part of the game.
  if (answer.status !== 201 && answer.status !== 409)
    throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function get(gantry: Gantry, path: string): Promise<Response> {
  return await fetch(gantry.url + path, { headers: { authorization: `Bearer ${gantry.token}` } });
}
