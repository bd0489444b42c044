import { expect, it } from "vitest";

import type { ClientResult } from "#client/send.ts";
import { Resource } from "#dashboard/data/resource.ts";

const names = (...value: readonly string[]): ClientResult<readonly string[]> => ({
  ok: true,
  value,
  status: 200,
  headers: new Headers(),
});
const failure: ClientResult<never> = {
  ok: false,
  problem: {
    type: "about:blank",
    title: "Unavailable",
    status: 503,
    code: "unavailable",
    detail: "",
    request_id: "",
  },
};

it("notifies watchers only of changed data and problems", async () => {
  const answers = [names("a"), names("a"), failure, names("a"), names("a", "b"), names()];
  const resource = new Resource(() => Promise.resolve(answers.shift() ?? failure), null);
  const shown: unknown[] = [];
  resource.state.watch(() => {
    const { value, problem } = resource.state.value;
    shown.push([value, problem?.code ?? null]);
  });
  for (let reads = answers.length; reads > 0; reads -= 1) await resource.reload();
  expect(shown).toEqual([
    [["a"], null],
    [["a"], "unavailable"],
    [["a"], null],
    [["a", "b"], null],
    [[], null],
  ]);
});
