import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { defaultSettings } from "#agent/context/settings.ts";
import { connect, type OpenConnection } from "#agent/link/connect.ts";
import { type FromAgent, PROTOCOL_VERSION, type ProjectReport } from "#contract/agent-protocol.ts";
import type { CommandState } from "#contract/endpoints/commands/schemas.ts";

import { ids, AgentWorld } from "../support/harness.ts";
import { LEVEL } from "../../support/connected-agent/agent-socket.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

type MessageOf<Type extends FromAgent["type"]> = Extract<FromAgent, { type: Type }>;

const MANY_RELEASES = Array.from({ length: 1000 }, (_, at) => 1_000_000 + at);
const longReports = (): ProjectReport[] =>
  Array.from({ length: 600 }, () => ({
    ...{ project_id: ids.project(), release: 1_000_999, releases: MANY_RELEASES },
    ...{ url: null, ingress_problem: "Caddy has ended." },
  }));
const shortReport = {
  ...{ project_id: expect.any(String), release: 1_000_999, releases: MANY_RELEASES.slice(-10), url: null },
};

const disk = { total_bytes: 2, free_bytes: 1, cache_bytes: 0 };
const hello = (projects: ProjectReport[] = []): MessageOf<"hello"> => ({
  ...{ type: "hello", protocol: PROTOCOL_VERSION, agent_version: "0.2.0", disk, projects, runs: [] },
  ...{ ...LEVEL, capabilities: [], deploy_keys: [] },
});
const shop = { project_id: ids.project(), request_id: "request" };
const state: Omit<CommandState, "message"> = {
  ...{ status: "exited", exit_code: 0, signal: null, release: 1 },
  ...{ started_at: "2026-11-20T09:14:43.090Z", finished_at: "2026-11-20T09:14:44.090Z" },
};
/** The JSON of this character is six times as long. */
const long = "\u0001".repeat(1000);

const last: FromAgent = { type: "project_removed", project_id: ids.project(), purge: false };

/** Connects to the control plane, sends a message and a last one, and waits until both have arrived. */
async function exchange(first: MessageOf<"hello">, send: (link: OpenConnection) => void) {
  const logged: string[] = [];
  const ending = new AbortController();
  const { control } = world;
  const connection = { url: control.url, server_id: control.serverId, credential: control.credential };
  const link = connect(
    { connection, proxy: null, settings: defaultSettings },
    {
      hello: () => Promise.resolve(first),
      onWelcome: () => undefined,
      onMessage: () => undefined,
      onUnreadableOrder: () => undefined,
      log: (line) => logged.push(line),
    },
    ending.signal,
  );
  send(link);
  link.send(last);
  await control.waitFor("the last message", () => control.messages.at(-1)?.type === last.type);
  ending.abort();
  expect(await link.ended).toEqual({ kind: "closed" });
  expect(control.hellos).toBe(1);
  return { messages: control.messages, logged };
}

const noteOf = (type: FromAgent["type"]) =>
  expect.stringContaining(`a message (${type}) was shortened: it is too long for the control plane`);

// The control plane closes the link of the whole server for a message over its limit.
describe("a message that is too long for the link", () => {
  it("is shortened: a hello keeps what the control plane compares", async () => {
    const { messages, logged } = await exchange(hello(longReports()), () => undefined);
    expect(messages[0]).toMatchObject({ type: "hello", disk, runs: [] });
    const { projects } = messages[0]?.type === "hello" ? messages[0] : hello();
    expect(projects).toHaveLength(600);
    expect(projects[0]).toEqual(shortReport);
    expect(logged).toEqual([noteOf("hello")]);
  });

  it.for<[FromAgent, unknown]>([
    [
      { type: "status", ...LEVEL, disk, projects: longReports() },
      { type: "status", ...LEVEL, disk, projects: Array.from({ length: 600 }, () => shortReport) },
    ],
    [
      {
        ...{ type: "output", project_id: shop.project_id, reader: null, left_out: 2 },
        lines: Array.from({ length: 4000 }, (_, line) => ({ instance: "web-1-0", line, message: long })),
      },
      { type: "output", project_id: shop.project_id, reader: null, lines: [], left_out: 4002 },
    ],
    [
      {
        ...{ type: "output_read", ...shop },
        lines: Array.from({ length: 1000 }, () => ({ instance: "web-1-0", message: long })),
      },
      {
        ...{ type: "output_read", ...shop },
        lines: [{ instance: "web-1-0", message: expect.stringContaining("longer than the server can send") }],
      },
    ],
    [
      {
        ...{ type: "command_read", ...shop },
        result: {
          ...{ ok: true, state: { ...state, message: null }, next_offset: 1, complete: true },
          lines: Array.from({ length: 2000 }, () => ({ stream: "stdout", message: long })),
        },
      },
      { type: "command_read", ...shop, result: { ok: false, code: "failed", message: expect.any(String) } },
    ],
    [
      {
        ...{ type: "commands_listed", ...shop },
        commands: Array.from({ length: 1000 }, () => ({
          ...{ id: ids.command(), state: { ...state, message: long } },
        })),
      },
      {
        ...{ type: "commands_listed", ...shop },
        commands: Array.from({ length: 1000 }, () => ({
          ...{ id: expect.any(String), state: { ...state, message: null } },
        })),
      },
    ],
  ])("is shortened, and the link stays: %#", async ([message, expected]) => {
    const { messages, logged } = await exchange(hello(), (link) => link.send(message));
    expect(messages[1]).toEqual(expected);
    expect(logged).toEqual([noteOf(message.type)]);
  });
});
