import { createServer } from "node:http";

import { afterAll, beforeAll, expect, it } from "vitest";

import { visitSite } from "../support/faults/site-visitor.ts";

const server = createServer((_, response) => response.writeHead(503).end());
let url: string;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  url = `http://127.0.0.1:${address.port}/`;
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
