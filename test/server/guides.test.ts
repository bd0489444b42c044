import { afterEach, describe, expect, it } from "vitest";

import { createCli } from "../cli/support/command.ts";
import { useGantry } from "../openapi/support/gantry.ts";
import { freePort } from "../support/free-port.ts";
import { GuideReader } from "./support/guides/guide-reader.ts";
import { laravelShop } from "./support/guides/laravel-app.ts";
import { readGuide } from "./support/guides/read-guide.ts";
import { installNpm } from "./support/install-npm.ts";
import { servePackages } from "./support/package-registry.ts";

/** With packages that are downloaded and installed. */
const GUIDE_MS = 480_000;

type Guide = {
  readonly name: string;
  /** Installs on the machine what the guide's reader has already. */
  readonly prepare?: (reader: GuideReader) => Promise<void>;
  /** The messages that ntfy has received at the end. */
  readonly messages?: readonly string[];
};

const guides: readonly Guide[] = [
  {
    name: "first-hour",
    async prepare(reader) {
      await installNpm(reader.machine);
      await reader.useOutside();
    },
    messages: ["v2 is live"],
  },
  { name: "static" },
  // What the generator makes needs packages that are not Debian's.
  { name: "laravel", prepare: (reader) => reader.generate(laravelShop) },
  { name: "node", prepare: ({ machine }) => installNpm(machine) },
  {
    name: "rails",
    async prepare({ machine }) {
      const registry = await servePackages(machine, await freePort());
      await machine.write("/srv/ada/.bundle/config", `BUNDLE_MIRROR__ALL: "${registry}"\n`);
      await machine.tell("gem install rails");
    },
  },
  {
    name: "django",
    async prepare({ machine }) {
      await servePackages(machine, await freePort());
    },
  },
];

const cli = createCli();
let reader: GuideReader | null = null;
afterEach(async () => {
  await reader?.close();
  reader = null;
});

describe("the commands of a guide, run in order on a fresh Debian, do what it says:", () => {
  it.each(guides)(
    "$name",
    async ({ name, prepare, messages = [] }) => {
      reader = await GuideReader.start(name, await useGantry(), cli.program);
      await prepare?.(reader);
      for (const step of readGuide(name)) await reader.follow(step);
      for (const message of messages)
        await expect
          .poll(() => reader?.messages(), { timeout: 60_000 })
          .toContainEqual(expect.stringContaining(message));
    },
    GUIDE_MS,
  );
});
