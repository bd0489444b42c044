import { expect, it } from "vitest";

import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { isKnownTip, type KnownBranch } from "#domain/pushes/is-known-tip.ts";
import { watchTimes } from "#domain/pushes/watch-times.ts";

it.each([
  ["without a hook", {}, false, null],
  ["with a hook", {}, true, { everySeconds: 3600, settleSeconds: 60 }],
  ["that asks for it", { poll: true }, false, { everySeconds: 300, settleSeconds: 0 }],
  ["that asks for it and has a hook", { poll: true }, true, { everySeconds: 300, settleSeconds: 60 }],
  ["that deploys no pushes", { poll: true, enabled: false }, true, null],
  [
    "whose patterns select it",
    { poll: true, branches: ["ma*"] },
    false,
    { everySeconds: 300, settleSeconds: 0 },
  ],
  ["whose patterns do not select it", { poll: true, branches: ["release/*"] }, true, null],
])("the branch of a project %s is read at its times", (_what, deployOn, hasHook, times) => {
  expect(watchTimes({ deployOn: DeployOn.parse(deployOn), branch: "main" }, hasHook)).toEqual(times);
});

const unknown: KnownBranch = { push: null, isFetched: false, isAwaited: false };

it.each<readonly [string, Partial<KnownBranch>, boolean]>([
  ["nobody knows", {}, false],
  ["the ledger has", { push: { sha: "a", receivedAt: 1 } }, true],
  ["an older push did not have", { push: { sha: "b", receivedAt: 1 } }, false],
  ["a later push has replaced", { push: { sha: "b", receivedAt: 11 } }, true],
  ["came after a ref was deleted", { push: { sha: null, receivedAt: 1 } }, false],
  ["a deployment has fetched", { isFetched: true }, true],
  ["a deployment is about to fetch", { push: { sha: "b", receivedAt: 1 }, isAwaited: true }, true],
])("a found commit that %s needs a decision, or not", (_what, known, isKnown) => {
  expect(isKnownTip({ sha: "a", foundAt: 10 }, { ...unknown, ...known })).toBe(isKnown);
});
