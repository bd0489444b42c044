import { createServer } from "node:http";

import { afterAll, beforeAll, expect, it } from "vitest";

import { visitSite } from "../../support/faults/site-visitor.ts";
import { listenLocally } from "../../support/listen.ts";

const server = createServer((_, response) => response.writeHead(503).end());
let url: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await listenLocally(server)}/`;
});
afterAll(() => server.close());

it("ignores failures until the last of several excuses has ended", async () => {
  const visitor = visitSite(url, 1);
  const endMove = visitor.excuse();
  const endDeletion = visitor.excuse();
  endDeletion();
  endDeletion();
  const { requests } = visitor;
  await expect.poll(() => visitor.requests).toBeGreaterThan(requests + 3);
  expect(visitor.failed).toBe(0);

  endMove();
  await expect.poll(() => visitor.failed).toBeGreaterThan(0);
  await visitor.leave();
});
