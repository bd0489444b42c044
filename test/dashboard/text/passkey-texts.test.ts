import { describe, expect, it } from "vitest";

import {
  creatingProblem,
  deviceName,
  passkeyObstacle,
  signingProblem,
} from "#dashboard/text/passkey-texts.ts";

const at = (address: string, place: { isSecure?: boolean; hasPasskeys?: boolean } = {}) =>
  passkeyObstacle({ address: new URL(address), isSecure: true, hasPasskeys: true, ...place });

describe("what prevents passkeys", () => {
  it("is nothing at a host name", () => {
    for (const address of [
      "https://gantry.example.com/app/",
      "http://localhost:8787/app/",
      "http://10.example.com/",
    ])
      expect(at(address)).toBe(null);
  });

  it.each([
    ["http://127.0.0.1:8787/app/sign-in", "http://localhost:8787/app/sign-in"],
    ["http://127.0.0.1/app/", "http://localhost/app/"],
    ["http://[::1]:8787/app/join", "http://localhost:8787/app/join"],
    ["http://127.0.0.1:8787/app/connect#challenge=a", "http://localhost:8787/app/connect#challenge=a"],
    ["https://203.0.113.7/app/", null],
  ])("is the IP address of %s", (address, better) => {
    const obstacle = at(address);
    expect(obstacle?.betterAddress).toBe(better);
    expect(obstacle?.text).toContain("is an IP address");
  });

  it("is plain HTTP, or a browser without them", () => {
    expect(at("http://gantry.example.com/", { isSecure: false })?.text).toContain("HTTPS");
    expect(at("https://gantry.example.com/", { hasPasskeys: false })?.text).toContain("browser");
  });
});

describe("the name of a device", () => {
  it.each([
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
      "Chrome on Mac",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
      "Chrome on Android",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    ["something", "Passkey"],
  ])("follows from its browser: %s", (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });
});

describe("an error of the browser", () => {
  it("is a sentence, and names what it does not know", () => {
    expect(signingProblem("NotAllowedError", "localhost")).toContain("no passkey for localhost");
    expect(creatingProblem("InvalidStateError", "localhost")).toContain("already");
    for (const explain of [signingProblem, creatingProblem])
      expect(explain("OddError", "localhost")).toContain("OddError");
  });
});
