import { describe, expect, it } from "vitest";

import { targetProblem } from "#domain/outlet/target-rule.ts";

const own = [new URL("https://gantry.example.com")];
const isRefused = (url: string) =>
  targetProblem(new URL(url), { own, allowPrivate: false, sendsMail: false }) !== null;

describe("the target of a webhook", () => {
  it.each([
    "https://hooks.example.com/gantry",
    "https://hooks.example.com:8443/gantry",
    "https://user:password@example.com./x",
    "https://bücher.example/",
    "https://localhost.example.com/",
    "https://internal.example.com/",
    "https://1.2.3.example.com/",
  ])("may be %s", (url) => {
    expect(isRefused(url)).toBe(false);
  });

  it.each([
    "http://hooks.example.com/",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST/",
    "https://app.localhost/",
    "https://printer.local/",
    "https://db.internal/",
    "https://nas.home.arpa/",
    "https://intranet/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://１２７.０.０.１/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[2001:db8::1]/",
    "https://192.0.2.1./",
    "https://203.0.113.7/",
    "https://gantry.example.com/v1/hooks",
    "https://GANTRY.example.com./",
    "https://gantry.example.com:8443/",
  ])("is never %s", (url) => {
    expect(isRefused(url)).toBe(true);
  });
});

describe("where private addresses are allowed, the target of a webhook", () => {
  const local = [new URL("http://localhost:8787")];
  const problem = (url: string) =>
    targetProblem(new URL(url), { own: local, allowPrivate: true, sendsMail: false });

  it.each(["http://localhost:9000/", "http://127.0.0.1:9000/", "http://10.0.0.7/", "http://[::1]:9000/"])(
    "may be %s",
    (url) => expect(problem(url)).toBeNull(),
  );

  it.each([
    "http://localhost:8787/v1",
    "http://127.0.0.1:8787/",
    "http://[::1]:8787/",
    "http://a.localhost:8787/",
    "http://localhost.:8787/",
    "http://2130706433:8787/",
    "http://127.1:8787/",
    "http://127.9.9.9:8787/",
    "http://0.0.0.0:8787/",
    "http://[::]:8787/",
    "http://[::ffff:127.0.0.1]:8787/",
    "http://[::127.0.0.1]:8787/",
    "http://[::ffff:0:127.0.0.1]:8787/",
    "http://[64:ff9b::127.0.0.1]:8787/",
    "http://[2002:7f00:1::]:8787/",
    "http://[::ffff:0.0.0.0]:8787/",
  ])("is not this installation: %s", (url) => expect(problem(url)).toContain("this installation"));
});
