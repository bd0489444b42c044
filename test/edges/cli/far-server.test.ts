import { createServer } from "node:http";

import { afterEach, expect, it } from "vitest";

import { type FarServer, startFarServer, twoAddresses } from "../../support/far-server.ts";
import { createCli } from "../../cli/support/command.ts";

const cli = createCli();
let far: FarServer | null = null;
afterEach(() => far?.close());

it("reaches a control plane that is more than 250 ms away and has several addresses", async () => {
  const server = createServer((_request, response) => response.writeHead(418).end("far away"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  far = await startFarServer(cli.home, typeof address === "object" ? (address?.port ?? 0) : 0);
  const call = cli.start(["whoami", "--url", far.url], {
    env: { GANTRY_TOKEN: `gantry_${"a".repeat(40)}`, NODE_OPTIONS: `--import=${twoAddresses}` },
  });
  await far.answer();
  const { stderr } = await call.ended;
  expect(stderr).toContain("418");
  expect(far.secondTries).toBe(0);
  server.close();
});
