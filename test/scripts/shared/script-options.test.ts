import { join } from "node:path";

import { describe, expect, it } from "vitest";
import * as z from "zod";

import { databaseTarget } from "../../../scripts/shared/database-options.ts";
import { root } from "../../../scripts/shared/root.ts";
import { flag, option, parseOptions, usageText, wholeNumber } from "../../../scripts/shared/script.ts";

describe("the options of an npm script", () => {
  const options = z.object({
    account: option("NAME", "the account", z.string()),
    port: option("N", "the port,\n8787 by default", wholeNumber(1, 65_535).default(8787)),
    remote: flag("use Cloudflare"),
  });

  it("are read by their names, with defaults for options that are not passed", () => {
    expect(parseOptions(options, ["--account", "main"])).toEqual({
      account: "main",
      port: 8787,
      remote: false,
    });
    expect(parseOptions(options, ["--account=main", "--port", "80", "--remote"])).toEqual({
      account: "main",
      port: 80,
      remote: true,
    });
  });

  it.each([
    [[], "--account is missing."],
    [["--account", "main", "--port", "70000"], "--port must be a whole number from 1 to 65535. Got: 70000"],
    [["--account", "main", "--port", "1e3"], "--port must be a whole number from 1 to 65535. Got: 1e3"],
    [["--account", "main", "--prot", "1"], "Unknown option '--prot'"],
    [["--account"], "'--account <value>' argument missing"],
    [["main"], "Unexpected argument 'main'"],
  ])("are refused as %j, with the name of the option", (argv, message) => {
    expect(() => parseOptions(options, argv)).toThrow(message);
  });

  it("are listed in the usage text, aligned", () => {
    const text = usageText({ usage: "npm run x\nnpm run y", summary: "Does a thing.", options });
    expect(text.split("\n")).toEqual([
      "Usage: npm run x",
      "       npm run y",
      "",
      "Does a thing.",
      "",
      "Options:",
      "  --account NAME  the account",
      "  --port N        the port,",
      "                  8787 by default",
      "  --remote        use Cloudflare",
      "  -h, --help      print this text",
    ]);
  });
});

describe("the database that npm run token and npm run sign-in use", () => {
  it("is in .gantry by default, or in the folder of --home, or in Cloudflare", () => {
    expect(databaseTarget({ remote: false })).toEqual({ home: join(root, ".gantry") });
    expect(databaseTarget({ home: "/srv/gantry", remote: false })).toEqual({ home: "/srv/gantry" });
    expect(databaseTarget({ remote: true })).toBe("remote");
  });

  it("can still be selected with --local, the earlier name of --home", () => {
    expect(databaseTarget({ local: "/srv/gantry", remote: false })).toEqual({ home: "/srv/gantry" });
  });

  it("is refused if two options select one", () => {
    expect(() => databaseTarget({ home: "/srv/gantry", remote: true })).toThrow("--remote exclude");
    expect(() => databaseTarget({ home: "/srv/gantry", local: "/srv/other", remote: false })).toThrow(
      "--local",
    );
  });
});
