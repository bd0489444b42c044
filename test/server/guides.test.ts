import { afterEach, describe, it } from "vitest";

import { createCli } from "../cli/support/command.ts";
import { useGantry } from "../openapi/support/gantry.ts";
import { GuideReader } from "./support/guides/guide-reader.ts";
import { laravelShop } from "./support/guides/laravel-app.ts";
import { readGuide } from "./support/guides/read-guide.ts";

/** With packages that are downloaded and installed. */
const GUIDE_MS = 480_000;

const cli = createCli();
let reader: GuideReader | null = null;
afterEach(async () => {
  await reader?.close();
  reader = null;
});

describe("the commands of a guide, run in order on a fresh Debian, do what it says:", () => {
  it.each<[name: string, app?: Readonly<Record<string, string>>]>([
    ["static"],
    // What the generator makes needs packages that are not Debian's.
    ["laravel", laravelShop],
  ])(
    "docs/guides/%s.md",
    async (name, app) => {
      reader = await GuideReader.start(name, await useGantry(), cli.program);
      if (app !== undefined) await reader.generate(app);
      for (const step of readGuide(name)) await reader.follow(step);
    },
    GUIDE_MS,
  );
});
