import { describe, expect, it } from "vitest";

import { exampleOf } from "#contract/endpoints/events/examples.ts";
import { Event, EventType, ReadEvent } from "#contract/endpoints/events/schemas.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { eventFamilies, eventText } from "#dashboard/pages/events/event-texts.ts";

const textOf = (type: EventType) => eventText(Event.parse(exampleOf(type)));

describe("an event as text", () => {
  it("shows the type of an event that a newer control plane has added", () => {
    const { id, timestamp, data } = exampleOf("server.created");
    const read = parseKnown(ReadEvent, { id, timestamp, data, type: "server.rebooted" });
    expect(read.success && eventText(read.data)).toMatchObject({
      subject: "server.rebooted",
      happened: "happened",
    });
  });

  it.each(EventType.options)("says what happened to what: %s", (type) => {
    const { subject, happened } = textOf(type);
    expect(`${subject} ${happened}`).toMatch(/^[A-Za-z]\S.* (was|is|has|failed|refused)\b/);
  });

  it("links to what still exists", () => {
    expect(textOf("deployment.failed")).toMatchObject({
      subject: expect.stringMatching(/^v\d+ of shop$/),
      route: { page: "deployment" },
      detail: expect.stringContaining("exit code 2"),
    });
    expect(textOf("deployment.deleted").route).toBeNull();
    expect(textOf("project.updated").route).toMatchObject({ page: "project" });
    expect(textOf("project.deleted").route).toBeNull();
  });

  it("belongs to one of the families that can be listed", () => {
    const families = new Set(EventType.options.map((type) => `${type.split(".")[0]}.*`));
    expect(new Set(Object.keys(eventFamilies))).toEqual(families);
  });
});
