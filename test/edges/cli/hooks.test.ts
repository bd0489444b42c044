import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { createCli } from "../../cli/support/command.ts";

const cli = createCli();
let gantry: Gantry;

/** What the fake forge has received. */
const received: { path: string; body: unknown }[] = [];
let status = 201;
const forge = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ path: request.url ?? "", body: JSON.parse(body) });
    response.writeHead(status).end();
  });
});

/** A stand-in for `gh`, `glab` and `tea`: sends its standard input to the fake forge, as `api` does. */
const PROGRAM = `#!/usr/bin/env node
import { text } from "node:stream/consumers";
const body = await text(process.stdin);
const response = await fetch(process.env.FORGE_URL + "/" + process.argv.slice(2).join(" "), { method: "POST", body });
if (!response.ok) { console.error("HTTP " + response.status + ": Not Found"); process.exit(1); }
`;

const folder = () => join(cli.home, "programs");

beforeAll(async () => {
  gantry = await useGantry();
  await once(forge.listen(0, "127.0.0.1"), "listening");
  await mkdir(folder(), { recursive: true });
  await writeFile(join(folder(), "package.json"), '{ "type": "module" }');
  for (const name of ["gh", "glab", "tea"]) {
    await writeFile(join(folder(), name), PROGRAM);
    await chmod(join(folder(), name), 0o755);
  }
});
afterAll(() => forge.close());
beforeEach(() => {
  received.length = 0;
  status = 201;
});

function run(args: readonly string[], path = `${folder()}:${process.env["PATH"] ?? ""}`) {
  const address = forge.address();
  if (address === null || typeof address === "string") throw new Error("the forge does not listen");
  const env = {
    GANTRY_URL: gantry.url,
    GANTRY_TOKEN: gantry.token,
    PATH: path,
    FORGE_URL: `http://127.0.0.1:${address.port}`,
  };
  return cli.run(args, { env });
}

describe("gantry hooks connect", () => {
  it("says what to do if the program is missing or fails, and gives the hook a new secret the next time", async () => {
    const repository = "git@github.com:acme/unreachable.git";
    const node = join(process.execPath, "..");
    const missing = await run(["hooks", "connect", repository], node);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/^secret\twhsec_/m);
    expect(missing.stderr).toContain("gh is not installed. Install it (https://cli.github.com)");
    // A second rotation would end the secret that the host may have by now.
    const again = await run(["hooks", "connect", repository], node);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/has the hook hook_\w+ already, which was not changed, because gh is not/);
    status = 404;
    const failed = await run(["hooks", "connect", repository]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("It gets a new secret; the old one works for another 24 hours.");
    expect(failed.stderr).toContain("gh could not add the hook: HTTP 404: Not Found.");
    status = 201;
    expect(await run(["hooks", "connect", repository])).toMatchObject({ code: 0 });
  });
});
