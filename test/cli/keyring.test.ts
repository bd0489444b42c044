import { describe, expect, it } from "vitest";

import { keyringCalls } from "#cli/settings/keyring.ts";

const url = "https://gantry.example.com";

describe("the keyring of a platform", () => {
  it.each(["linux", "darwin"] as const)(
    "gets the secret on standard input on %s, and never as an argument",
    (platform) => {
      const calls = keyringCalls(platform, url);
      if (calls === null) throw new Error("the platform has a keyring");
      const stored = calls.store("gantry_secret");
      expect(stored.input).toContain("gantry_secret");
      for (const { argv } of [stored, calls.read, calls.remove])
        expect(argv.join(" ")).not.toContain("gantry_secret");
      for (const { argv } of [calls.read, calls.remove]) expect(argv).toContain(url);
    },
  );

  it("is named on one line of security, in quotation marks", () => {
    expect(keyringCalls("darwin", url)?.store("gantry_secret")).toEqual({
      argv: ["security", "-i"],
      input: `add-generic-password -U -s gantry -a "${url}" -w "gantry_secret"\n`,
    });
  });

  it("is the file where the platform has none", () => {
    expect(keyringCalls("win32", url)).toBeNull();
  });
});
