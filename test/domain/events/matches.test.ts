import { describe, expect, it } from "vitest";

import { eventExamples, exampleOf } from "#contract/endpoints/events/examples.ts";
import { EventPattern, matchesType, typesOf } from "#contract/endpoints/events/patterns.ts";
import { Event, EventType } from "#contract/endpoints/events/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { example } from "#contract/reference/examples.ts";
import { decideNews, eventsFor } from "#domain/events/decide-news.ts";
import { matches } from "#domain/events/matches.ts";

const shop = ProjectId.parse(example.project);
const other = ProjectId.parse("proj_01kaf3q8x4e7rt2vw5yznb6mce");
const live = Event.parse(exampleOf("deployment.live"));
const revoked = Event.parse(exampleOf("token.revoked"));

describe("patterns of event types", () => {
  it("stand for a type, for the types of a group, or for all", () => {
    expect(typesOf(["deployment.live"])).toEqual(["deployment.live"]);
    expect(typesOf(["project.*"])).toEqual(["project.created", "project.updated", "project.deleted"]);
    expect(typesOf(["*"])).toEqual(EventType.options);
  });

  it("exist for every group, and not for what has no type", () => {
    for (const type of EventType.options) {
      const group = `${type.split(".")[0]}.*`;
      expect(EventPattern.safeParse(group).success).toBe(true);
      expect(matchesType([group], type)).toBe(true);
    }
    for (const wrong of ["deployment", "deployment.", "deploy.*", "**", ""])
      expect(EventPattern.safeParse(wrong).success).toBe(false);
  });
});

describe("the events that a webhook gets", () => {
  it("are of its types and its projects", () => {
    expect(matches({ events: ["deployment.*"], projectIds: null }, live)).toBe(true);
    expect(matches({ events: ["deployment.*"], projectIds: [shop] }, live)).toBe(true);
    expect(matches({ events: ["deployment.*"], projectIds: [other] }, live)).toBe(false);
    expect(matches({ events: ["server.*"], projectIds: null }, live)).toBe(false);
  });

  it("are not about the account if it is limited to projects", () => {
    expect(matches({ events: ["*"], projectIds: null }, revoked)).toBe(true);
    expect(matches({ events: ["*"], projectIds: [shop] }, revoked)).toBe(false);
  });

  it("are those since it was created", () => {
    const target = { events: ["*"], projectIds: null, createdAt: 1_000 };
    const news = [999, 1_000, 1_001].map((createdAt) => ({ createdAt, event: live }));
    expect(eventsFor(target, news)).toHaveLength(2);
  });

  it("have an example of each type that the contract accepts", () => {
    expect(eventExamples.map(({ type }) => type).toSorted()).toEqual(EventType.options.toSorted());
    for (const one of eventExamples) expect(Event.safeParse(one).error).toBeUndefined();
  });
});

describe("what a feed has not handed over", () => {
  const found = (...numbers: number[]) => numbers.map((sequence) => ({ sequence, id: `evt_${sequence}` }));
  const at = (sequence: number) => ({ sequence, id: `evt_${sequence}` });

  it("is everything before the first event", () => {
    expect(decideNews({ sequence: 0, id: null }, found(1, 2))).toEqual({ kind: "news", news: found(1, 2) });
    expect(decideNews({ sequence: 0, id: null }, [])).toEqual({ kind: "news", news: [] });
  });

  it("comes after the cursor", () => {
    expect(decideNews(at(3), found(3, 4, 5))).toEqual({ kind: "news", news: found(4, 5) });
    expect(decideNews(at(3), found(3))).toEqual({ kind: "news", news: [] });
    expect(decideNews({ sequence: 3, id: null }, found(3, 4))).toEqual({ kind: "news", news: found(4) });
  });

  it("is still known if the event at the cursor has expired", () => {
    expect(decideNews(at(3), found(7, 8))).toEqual({ kind: "news", news: found(7, 8) });
  });

  it("is unknown after a restore: the number is gone, or belongs to another event", () => {
    expect(decideNews(at(3), [])).toEqual({ kind: "restored" });
    expect(decideNews(at(3), [{ sequence: 3, id: "evt_other" }])).toEqual({ kind: "restored" });
  });
});
