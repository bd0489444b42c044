import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, expect, it } from "vitest";

import { bundleWorker, type WorkerFile } from "../../scripts/shared/bundle-worker.ts";

let files: readonly WorkerFile[];
beforeAll(async () => {
  const bundled = await bundleWorker(join(tmpdir(), "gantry-bundle"));
  if (!bundled.ok) throw new Error(bundled.output);
  ({ files } = bundled);
});

const sourcesOf = (isFirst: boolean) =>
  files.filter((file) => file.isFirst === isFirst).flatMap(({ sources }) => sources);

/** What no start and no request for a deployment, a log, a server or an event may evaluate. */
const loadedWhenUsed = [
  /^src\/worker\/schedule\//,
  /^src\/worker\/deliveries\//,
  /^src\/domain\/pushes\/forges\//,
  /^src\/worker\/db\/sessions\//,
  /^src\/worker\/operations\/sessions\//,
  /^src\/worker\/operations\/audit\//,
  /^src\/worker\/identity\//,
  /^src\/worker\/db\/members\//,
  /^src\/worker\/operations\/projects\/(create|delete|read|update)-projects?\.ts$/,
  /^src\/worker\/operations\/(commands|cron|domains|freezes|hooks|members|output|processes|profile|tokens|traffic|trust-rules|variables|webhooks)\//,
  /^src\/worker\/routes\/(audit|commands|cron|domains|freezes|hooks|members|output|processes|profile|projects|sessions|tokens|traffic|trust-rules|variables|webhooks)\.ts$/,
  /^src\/contract\/endpoints\/(audit|commands|cron|domains|freezes|hooks|members|output|processes|profile|projects|sessions|tokens|traffic|trust-rules|variables|webhooks)\/endpoints\.ts$/,
  /^src\/contract\/endpoints\/(freezes|hooks|members|profile|projects|sessions|tokens|trust-rules|webhooks)\/schemas\.ts$/,
];

it("the first request evaluates two files, without what few requests need", () => {
  const first = files.filter(({ isFirst }) => isFirst).map(({ name }) => name);
  expect(first.toSorted()).toEqual(["first.js", "main.js"]);
  expect(sourcesOf(true).filter((source) => loadedWhenUsed.some((one) => one.test(source)))).toEqual([]);
});

it("each part that few requests need is in a file that is loaded when it is first used", () => {
  const later = sourcesOf(false);
  for (const part of loadedWhenUsed) expect(later.filter((source) => part.test(source))).not.toEqual([]);
});

it("the main file exports the Worker and its objects, and nothing that other files need", () => {
  const main = files.find(({ name }) => name === "main.js");
  const exported = [...(main?.code ?? "").matchAll(/\w+ as (\w+)/g)].map(([, name = ""]) => name);
  expect(exported.toSorted()).toEqual(["AgentLink", "EventFeed", "Outlet", "ProjectLane", "default"]);
});

it("source maps name the sources by their paths in the repository", () => {
  const hooks = files.find(({ name }) => name === "hooks.js");
  expect(JSON.parse(hooks?.map ?? "")).toMatchObject({
    sources: expect.arrayContaining(["src/worker/operations/pushes/receive-delivery.ts"]),
  });
});
