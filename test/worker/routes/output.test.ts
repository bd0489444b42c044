import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createParser } from "eventsource-parser";
import { describe, expect, it, vi } from "vitest";

import { AppOutput, type FollowedLine, AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { problemOf } from "../../support/worker/call.ts";
import { processReport } from "../../support/process-reports.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordStatements } from "../../support/worker/statements.ts";

const path = ({ id }: TestProject, query = "") => `/v1/projects/${id}/output${query}`;

const line = (number: number, instance = "web-1-0"): FollowedLine => ({
  ...{ line: number, instance },
  message: `line ${number}`,
});

/** A client that follows the output as server-sent events. */
class Reader {
  readonly lines: AppOutputLine[] = [];
  readonly gaps: string[] = [];
  lastId: string | undefined = undefined;
  isClosed = false;
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#body = body.getReader();
    // It fails when the reader leaves.
    void this.#read().catch(() => undefined);
  }

  static async open(project: TestProject, query = "", headers = {}): Promise<Reader> {
    const response = await project.get(path(project, query), { accept: "text/event-stream", ...headers });
    expect(response.status).toBe(200);
    if (response.body === null) throw new Error("no body");
    return new Reader(response.body);
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ event, id, data }) => {
        if (event === "left_out") return void this.gaps.push(data);
        this.lines.push(AppOutputLine.parse(JSON.parse(data)));
        this.lastId = id;
      },
    });
    for (;;) {
      const { done, value } = await this.#body.read();
      if (done) break;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    this.isClosed = true;
  }

  async sees(...numbers: number[]): Promise<void> {
    const expected = numbers.map((number) => `line ${number}`);
    await vi.waitFor(() => expect(this.lines.map(({ message }) => message)).toEqual(expected));
  }

  async leave(): Promise<void> {
    await this.#body.cancel();
  }
}

/** Waits for the requests to follow. @returns the ids of their readers */
async function follows({ agent }: TestProject, count: number) {
  return await vi.waitFor(() => {
    const found = agent.received.filter((message) => message.type === "follow_output");
    if (found.length !== count) throw new Error(`${found.length} requests to follow`);
    return found;
  });
}
const stops = ({ agent }: TestProject) => agent.received.filter(({ type }) => type === "stop_output").length;

describe("the output of a project's instances", () => {
  it("has the last lines, as the server has them now", async () => {
    const project = await TestProject.answering();
    project.agent.printed = [{ instance: "web-1-0", message: "listening" }];
    const response = await project.get(path(project, "?process=web&instance=web-1-0&lines=5"));
    expect(AppOutput.parse(await response.json())).toEqual({ lines: project.agent.printed });
    expect(await project.agent.receives("read_output")).toMatchObject({
      ...{ project_id: project.id, process: "web", instance: "web-1-0", lines: 5 },
    });
    expect((await project.get(path(project, "?lines=1001"))).status).toBe(422);
    expect((await project.get(path(project, "?process=../x"))).status).toBe(422);
  });

  it("is refused for a process that neither runs nor has left output, with the names of the others", async () => {
    const project = await TestProject.answering();
    const answer = async (query: string, accept = "application/json") =>
      await project.get(path(project, query), { accept });
    // Nobody knows which processes it has before its first deployment.
    expect((await answer("?process=nope")).status).toBe(200);
    const project_id = ProjectId.parse(project.id);
    const serving = { project_id, release: null, releases: [], url: null };
    project.agent.serving({ ...serving, processes: [processReport("web")] });
    const refused = {
      ...{ status: 404, code: "not_found" },
      detail: "The project has no process nope. It has web.",
    };
    await vi.waitFor(async () =>
      expect(await problemOf(await answer("?process=nope"))).toMatchObject(refused),
    );
    expect(await problemOf(await answer("?process=nope", "text/event-stream"))).toMatchObject(refused);
    expect(await problemOf(await answer("?process=nope&ended=true"))).toMatchObject(refused);
    expect((await answer("?process=web")).status).toBe(200);
    // The settings had this process earlier.
    project.agent.printed = [{ instance: "worker-1-0", message: "bye" }];
    expect((await answer("?process=worker&ended=true")).status).toBe(200);
  });

  it("is refused while the server is offline", async () => {
    const project = await TestProject.create();
    for (const accept of ["application/json", "text/event-stream"])
      expect(await problemOf(await project.get(path(project), { accept }))).toMatchObject({
        status: 409,
        code: "server_offline",
      });
  });
});

describe("a reader of the output", () => {
  it("gets the lines that it wants from the messages that the server sends once for all", async () => {
    const project = await TestProject.answering();
    const all = await Reader.open(project);
    const workers = await Reader.open(project, "?process=worker&lines=1");
    const [one, two] = await follows(project, 2);
    expect(two).toMatchObject({ process: "worker", lines: 1, after: null });
    project.agent.prints(project.id, one?.reader ?? "", [line(1), line(2, "worker-1-0")]);
    project.agent.prints(project.id, null, [line(3)]);
    project.agent.prints(project.id, two?.reader ?? "", [line(2, "worker-1-0")]);
    project.agent.prints(project.id, null, [line(4), line(5, "worker-1-0")]);
    await all.sees(1, 2, 3, 4, 5);
    await workers.sees(2, 5);
    project.agent.prints(project.id, null, [line(6)], 7);
    await vi.waitFor(() => expect(all.gaps).toEqual(['{"lines":7}']));
    expect(stops(project)).toBe(0);
    await all.leave();
    await workers.leave();
    await vi.waitFor(() => expect(stops(project)).toBeGreaterThan(0));
  });

  it("continues after its last line when it connects again, and when the agent does", async () => {
    const project = await TestProject.answering();
    const reader = await Reader.open(project);
    const [first] = await follows(project, 1);
    project.agent.prints(project.id, first?.reader ?? "", [line(1), line(2)]);
    await reader.sees(1, 2);
    project.agent.cut();
    await project.agent.connect();
    const [, again] = await follows(project, 2);
    expect(again).toMatchObject({ reader: first?.reader, after: 2 });
    // What another connection still sends is not for this reader before it has its first lines.
    project.agent.prints(project.id, null, [line(9)]);
    project.agent.prints(project.id, again?.reader ?? "", [line(3)]);
    await reader.sees(1, 2, 3);
    await reader.leave();
    const later = await Reader.open(project, "", { "last-event-id": reader.lastId });
    expect((await follows(project, 3)).at(-1)).toMatchObject({ after: 3 });
    await later.leave();
  });

  it("costs nothing while nobody reads: no message, no write, and an agent that still sends is stopped", async () => {
    const project = await TestProject.answering();
    const link = env.AGENT_LINK.getByName(project.agent.serverId);
    const stored = async () =>
      await runInDurableObject(
        link,
        (_, { storage }) => storage.sql.exec("SELECT total_changes() AS n").one()["n"],
      );
    const before = await stored();
    const statements = recordStatements();
    const received = project.agent.received.length;
    for (let number = 1; number <= 20; number += 1) project.agent.prints(project.id, null, [line(number)]);
    await vi.waitFor(() => expect(stops(project)).toBe(20));
    expect(project.agent.received.slice(received).every(({ type }) => type === "stop_output")).toBe(true);
    expect(statements).toEqual([]);
    expect(await stored()).toBe(before);
  });

  it("writes nothing, however much is printed", async () => {
    const project = await TestProject.answering();
    const reader = await Reader.open(project);
    const [first] = await follows(project, 1);
    project.agent.prints(project.id, first?.reader ?? "", []);
    const statements = recordStatements();
    for (let number = 1; number <= 20; number += 1) project.agent.prints(project.id, null, [line(number)]);
    await vi.waitFor(() => expect(reader.lines).toHaveLength(20));
    expect(statements).toEqual([]);
    await reader.leave();
  });
});
