import { describe, expect, it } from "vitest";

import { signInCommand } from "#dashboard/text/sign-in-command.ts";

describe("the command that prints a sign-in link", () => {
  it.each([
    ["http://127.0.0.1:8787/app/", "npm run sign-in"],
    ["http://localhost:9000/app/", "npm run sign-in -- --port 9000"],
    ["https://gantry.example.com/app/", "npm run sign-in -- --remote --url https://gantry.example.com"],
    ["http://localhost/app/", "npm run sign-in -- --port 80"],
  ])("is for %s: %s", (address, command) => {
    expect(signInCommand(new URL(address))).toBe(command);
  });
});
