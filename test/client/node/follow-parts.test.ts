import { expect, it } from "vitest";

import { unreachable } from "#client/answer.ts";
import { type FollowedPart, followParts } from "#client/follow-parts.ts";
import type { ClientResult } from "#client/send.ts";

type Part = { readonly next_offset: number; readonly complete: boolean };

const part = (next_offset: number, complete = false): ClientResult<Part> => ({
  ...{ ok: true, status: 200, headers: new Headers() },
  value: { next_offset, complete },
});
const cut: ClientResult<Part> = unreachable(new Error("reset"), "https://gantry.test");
const refused: ClientResult<Part> = {
  ok: false,
  problem: { ...{ type: "", title: "", detail: "", request_id: "" }, status: 404, code: "not_found" },
};

/** Follows an output whose requests have these results. */
async function follow(results: ClientResult<Part>[]) {
  const offsets: number[] = [];
  const events: FollowedPart<Part>["type"][] = [];
  const stopped = new AbortController();
  const read = (query: { offset: number }) => {
    offsets.push(query.offset);
    const result = results.shift();
    if (result === undefined) stopped.abort();
    return Promise.resolve(result ?? cut);
  };
  for await (const event of followParts(read, { waitSeconds: 1, signal: stopped.signal }))
    events.push(event.type);
  return { offsets, events };
}

it("an output is read to its end, and after a lost connection from where it was", async () => {
  expect(await follow([part(10), cut, part(30), part(40, true)])).toEqual({
    offsets: [0, 10, 10, 30],
    events: ["part", "waiting", "part", "part"],
  });
});

it("a refusal ends the reading, and so does the reader", async () => {
  expect(await follow([part(10), refused])).toEqual({ offsets: [0, 10], events: ["part", "problem"] });
  expect(await follow([part(10)])).toEqual({ offsets: [0, 10], events: ["part"] });
});
