import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import * as z from "zod";
import { describe, expect, it } from "vitest";

import { readDelivery } from "#domain/pushes/read-delivery.ts";
import branchCreated from "../../support/deliveries/github-branch-created.json" with { type: "json" };
import ping from "../../support/deliveries/github-ping.json" with { type: "json" };
import tagCreated from "../../support/deliveries/github-tag-created.json" with { type: "json" };
import tagDeleted from "../../support/deliveries/github-tag-deleted.json" with { type: "json" };

const { resolve } = createRequire(import.meta.url);
const folder = dirname(dirname(resolve("@octokit/webhooks-examples")));

const Events = z.array(z.object({ name: z.string(), examples: z.array(z.unknown()) }));
const Push = z.object({
  ref: z.string(),
  after: z.string(),
  deleted: z.boolean(),
  repository: z.object({ full_name: z.string() }),
  head_commit: z.nullable(z.object({ id: z.string() })),
});

const eventsOf = (source: string) =>
  Events.parse(JSON.parse(readFileSync(join(folder, source, "index.json"), "utf8")));

/** The bodies that GitHub, and versions of its server for enterprises, have sent. */
describe.each(["api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"])(
  "the examples of %s",
  (source) => {
    const events = eventsOf(source);
    const examplesOf = (wanted: string) =>
      events.flatMap(({ name, examples }) => (name === wanted ? examples : []));

    it("of pushes are read", () => {
      const pushes = examplesOf("push");
      expect(pushes.length).toBeGreaterThan(0);
      for (const body of pushes) {
        const { ref, after, deleted, repository, head_commit: head } = Push.parse(body);
        expect(readDelivery("github", "push", body)).toMatchObject({
          kind: "pushes",
          repository: repository.full_name,
          pushes: [{ ref, after: deleted ? null : (head?.id ?? after) }],
        });
      }
    });

    it("of other events are not pushes", () => {
      const others = new Set(events.map(({ name }) => name));
      others.delete("push");
      expect([...others]).toEqual(expect.arrayContaining(["create", "delete", "ping"]));
      for (const name of others)
        for (const body of examplesOf(name))
          expect(readDelivery("github", name, body)).toEqual({ kind: name === "ping" ? "ping" : "other" });
    });
  },
);

it("have the bodies that the tests in the Worker's runtime use, which cannot read files", () => {
  const examples = eventsOf("api.github.com").flatMap((event) => event.examples);
  for (const copy of [branchCreated, ping, tagCreated, tagDeleted]) expect(examples).toContainEqual(copy);
});
