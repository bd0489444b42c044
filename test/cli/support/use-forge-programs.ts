import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";

import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { createCli } from "./command.ts";

/** A stand-in for `gh`, `glab` and `tea`: sends its standard input to the fake forge, as `api` does. */
const PROGRAM = `#!/usr/bin/env node
import { text } from "node:stream/consumers";
const body = await text(process.stdin);
const response = await fetch(process.env.FORGE_URL + "/" + process.argv.slice(2).join(" "), { method: "POST", body });
if (!response.ok) { console.error("HTTP " + response.status + ": Not Found"); process.exit(1); }
`;

/** The command, and the programs of forges, which ask a server of the test. Call it at the top of a test file. */
export function useForgePrograms() {
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

  return {
    get gantry() {
      return gantry;
    },
    /** The status of the forge's next answers. */
    set status(next: number) {
      status = next;
    },
    received,
    run,
  };
}
