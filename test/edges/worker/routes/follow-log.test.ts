import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { output } from "../../../support/connected-agent/events.ts";
import { LogReader, upTo } from "../../../support/worker/log-reader.ts";
import { laneOf, TestProject } from "../../../support/worker/project.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a client that follows a log", () => {
  it("gets each line once while parts go to R2 and the log is completed", async () => {
    const { project, id, order } = await TestProject.running();
    const readers = [await LogReader.follow(project, id)];
    // Some exceed the size of a part, so that a part goes to R2 at once.
    for (let batch = 0; batch < 6; batch += 1) {
      const lines = Array.from({ length: 150 }, (_, index) => `${batch}-${index} ${"ü".repeat(900)}`);
      await project.agent.reports(order, output(...lines));
      readers.push(await LogReader.follow(project, id));
      const lastEventId = String(batch * 100 + 50);
      readers.push(await LogReader.follow(project, id, { headers: { "last-event-id": lastEventId } }));
    }
    await project.agent.completes(order);
    for (const reader of readers) {
      expect(await reader.closes()).toMatchObject({ status: "live" });
      const last = reader.numbers.at(-1) ?? 0;
      expect(reader.numbers).toEqual(upTo(last).slice((reader.numbers[0] ?? 0) - 1));
      expect(reader.messages.at(-1)).toContain("Live: v1");
    }
    expect(readers[0]?.messages.filter((message) => message.includes("ü"))).toHaveLength(6 * 150);
  });

  it("is not affected when the lane is evicted or dies", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { project, id, order } = await TestProject.running();
    const reader = await LogReader.follow(project, id);
    await reader.sees("one");
    await evictDurableObject(laneOf(project));
    await project.agent.reports(order, output("after an eviction"));
    await reader.sees("after an eviction");
    await abortAllDurableObjects();
    await project.agent.reports(order, output("after a crash"));
    await reader.sees("after a crash");
    await abortAllDurableObjects();
    await project.agent.connect({ runs: [order] });
    await project.agent.completes(order);
    expect(await reader.closes()).toMatchObject({ status: "live" });
    expect(reader.numbers).toEqual(upTo(reader.lines.length));
  });
});
