import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readArguments } from "#agent/main/arguments.ts";
import { retryDelayMs } from "#agent/lib/retry-delay.ts";
import { endpointUrl } from "#agent/lib/http/control-plane.ts";
import { createMask } from "#contract/mask.ts";
import { createInterrupt } from "#agent/step/interrupt.ts";
import { decidePrune } from "#agent/run/activate/prune.ts";
import { createRunLog } from "#agent/run/run-log.ts";
import { decideTarget } from "#agent/run/activate/verify-stage.ts";
import { defaultSettings } from "#agent/context/settings.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";

describe("the delay before another try", () => {
  it("stays below a limit that doubles from half a second to half a minute", () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((failures) =>
      retryDelayMs(failures, 1, defaultSettings),
    );
    expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(retryDelayMs(5, 0, defaultSettings)).toBe(0);
    expect(retryDelayMs(5, 0.5, defaultSettings)).toBe(4000);
  });
});

describe("secrets", () => {
  it("are hidden as the password of any URL, and the repository's own password everywhere", () => {
    const mask = createMask("https://deploy:p%40ss%2Fword@example.com/shop.git");
    expect(mask("fatal: https://deploy:p%40ss%2Fword@example.com/x")).toBe(
      "fatal: https://deploy:***@example.com/x",
    );
    expect(mask("PASSWORD=p@ss/word or p%40ss%2Fword")).toBe("PASSWORD=*** or ***");
    expect(mask("ftp://other:secret@host/")).toBe("ftp://other:***@host/");
  });

  it("are hidden as a token in place of the user name, but common user names are not", () => {
    const token = "ghp_0123456789abcdefghij";
    expect(createMask(`https://${token}@github.com/a/b`)(`from https://${token}@github.com`)).toBe(
      "from https://***@github.com",
    );
    expect(createMask("https://git@example.com/x")("git fetch")).toBe("git fetch");
    expect(createMask("ssh://git@example.com/x")("git fetch")).toBe("git fetch");
  });

  it("are hidden in the query of a URL, and long ones everywhere", () => {
    const token = "glpat-0123456789abcdef";
    const mask = createMask(
      `https://example.com/shop.git?v=1&private_token=${token}`,
      "https://shop.test/up?key=p%20w",
      "/up?pin=1234",
    );
    expect(mask(`fatal: https://example.com/shop.git?v=1&private_token=${token}/info/refs`)).toBe(
      "fatal: https://example.com/shop.git?v=***&private_token=***/info/refs",
    );
    expect(mask(`the token is ${token}`)).toBe("the token is ***");
    expect(mask("GET /up?pin=1234 and /up?key=p%20w and /up?key=p w")).toBe(
      "GET /up?pin=*** and /up?key=*** and /up?key=***",
    );
    expect(mask("v=1, 1234 and http://localhost:5173/?v=2")).toBe("v=1, 1234 and http://localhost:5173/?v=2");
  });

  it("are hidden where the address has its login only for some programs", () => {
    const mask = createMask("https://bob:12/secret@example.com/shop.git");
    expect(mask("fatal: unable to access 'https://bob:12/secret@example.com/shop.git/'")).toBe(
      "fatal: unable to access 'https://bob:***@example.com/shop.git/'",
    );
    const token = createMask("https://0123456789/abcdefghij@example.com/shop.git");
    expect(token("at https://0123456789/abcdefghij@example.com/")).toBe("at https://***@example.com/");
  });

  it("are hidden when a text was cut in the middle of one", () => {
    const mask = createMask("https://deploy:p%40ss%2Fword@example.com/shop.git");
    for (const begun of ["p%40ss%2Fwor", "p@ss/wor", "p@ss/wor\ufffd", "p@", "p"])
      expect(mask(`log in with ${begun}`, true)).toBe("log in with ***");
    expect(mask("ftp://other:secr", true)).toBe("ftp://other:***");
    expect(mask("nothing of that kind", true)).toBe("nothing of that kind");
    expect(mask("log in with p", false)).toBe("log in with p");
  });
});

describe("pruning", () => {
  it("never removes the live release, the one before it, or one to keep", () => {
    const version = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(
        fc.uniqueArray(version),
        fc.array(version),
        version,
        fc.option(version),
        (whole, keep, live, previous) => {
          const gone = decidePrune(whole, keep, live, previous);
          const kept = [...keep, live, previous];
          expect(gone.filter((each) => kept.includes(each))).toEqual([]);
          expect(gone.every((each) => whole.includes(each))).toBe(true);
          expect(whole.filter((each) => !gone.includes(each) && !kept.includes(each))).toEqual([]);
        },
      ),
    );
  });
});

describe("a health check's target", () => {
  const url = "https://example.com/up";
  const siteUrl = "http://127.0.0.1:9000";
  const nothing = { ingress: null, siteUrl: null, address: null };

  it("is the configured URL, or the path at the site, or at this server with the project's domain", () => {
    expect(decideTarget({ url }, { ...nothing, siteUrl }, "d")).toEqual({ url: new URL(url), host: null });
    const { url: atSite } = decideTarget({ path: "//evil.example/x" }, { ...nothing, siteUrl }, "d");
    expect(atSite.host).toBe("127.0.0.1:9000");
    expect(decideTarget({ path: "/up?a=b" }, nothing, "shop.example")).toEqual({
      url: new URL("http://127.0.0.1/up?a=b"),
      host: "shop.example",
    });
  });

  it("of an app is the ingress that the agent configures, or the site server, or an instance", () => {
    const address = "127.0.0.1:20001";
    expect(decideTarget({ path: "/up" }, { ...nothing, address }, "shop.example")).toEqual({
      url: new URL("http://127.0.0.1:20001/up"),
      host: "shop.example",
      asHttps: true,
    });
    expect(decideTarget({ path: "/up" }, { ...nothing, siteUrl, address }, "shop.example")).toEqual({
      url: new URL("http://127.0.0.1:9000/up"),
      host: "shop.example",
    });
    const ingress = { url: new URL("http://ingress/up"), socketPath: "/run/ingress.sock" };
    expect(decideTarget({ path: "/up" }, { ingress, siteUrl, address }, "shop.example")).toEqual({
      ...ingress,
      host: null,
    });
  });
});

describe("an interrupt", () => {
  it("of a higher kind replaces a lower one, never the reverse", () => {
    const interrupt = createInterrupt();
    interrupt.raise("stop");
    interrupt.raise("ended");
    interrupt.raise("shutdown");
    expect(interrupt.reason).toBe("ended");
    expect(interrupt.signal.aborted).toBe(true);
  });

  it("by a cancel has no effect after the permit was used", () => {
    const interrupt = createInterrupt();
    interrupt.commit();
    interrupt.raise("stop");
    expect(interrupt.signal.aborted).toBe(false);
    interrupt.raise("shutdown");
    expect(interrupt.reason).toBe("shutdown");
  });
});

describe("a deployment's log", () => {
  it("reports that it is full, and continues with Gantry's own lines only", () => {
    const lines: string[] = [];
    const reporter = { line: (each: { message: string }) => void lines.push(each.message) };
    const log = createRunLog(reporter, (text) => text, { now: () => 0 }, 130);
    log.line("stdout", "build", "12345678");
    log.line("stdout", "build", "too much");
    log.line("stdout", "build", "1");
    log.system("build", "done");
    expect(lines).toEqual(["12345678", "the log is full: further output of commands is not logged", "done"]);
  });
});

describe("a line of the log", () => {
  const written = (text: string, mask = (whole: string) => whole) => {
    const lines: string[] = [];
    const reporter = { line: (each: { message: string }) => void lines.push(each.message) };
    createRunLog(reporter, mask, { now: () => 0 }).system("build", text);
    return lines[0] ?? "";
  };

  it("of 16 KiB is unchanged", () => {
    const text = "ü".repeat(MAX_LOG_LINE_BYTES / 2);
    expect(written(text)).toBe(text);
  });

  it("over 16 KiB is cut between two characters, with the number of bytes cut", () => {
    const line = written(`x${"ü".repeat(MAX_LOG_LINE_BYTES)}`);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LOG_LINE_BYTES);
    const [, kept = "", cut] = /^(xü+)… \[(\d+) bytes of this line are cut\]$/.exec(line) ?? [];
    expect(Buffer.byteLength(kept) + Number(cut)).toBe(1 + 2 * MAX_LOG_LINE_BYTES);
  });

  it("is measured after its secrets have been hidden", () => {
    const secret = "s".repeat(MAX_LOG_LINE_BYTES);
    expect(written(`user:${secret}@host`, (text) => text.replace(secret, "***"))).toBe("user:***@host");
  });
});

describe("the command line", () => {
  it("accepts the options of both commands", () => {
    expect(readArguments(["run", "--home", "/srv/gantry"])).toEqual({
      kind: "run",
      home: "/srv/gantry",
      policy: null,
      sitesSocket: null,
      isSupervisorExternal: false,
      isolate: null,
      slots: null,
      ingress: null,
      allowsCommands: false,
      allowsCron: false,
      metrics: null,
    });
    const helper = "/run/gantry-isolate.sock";
    expect(readArguments(["run", "--home", "/h", "--isolate", helper])).toMatchObject({ isolate: helper });
    expect(readArguments(["end-builds", "--home", "/h", "--isolate", helper])).toEqual({
      kind: "end_builds",
      home: "/h",
      isolate: helper,
    });
    expect(readArguments(["supervise", "--home", "/h"])).toEqual({ kind: "supervise", home: "/h" });
    expect(readArguments(["end-apps", "--home", "/h"])).toEqual({ kind: "end_apps", home: "/h" });
    expect(readArguments(["enroll", "--url", "https://x.example/", "--token", "t", "--home", "/h"])).toEqual({
      kind: "enroll",
      url: "https://x.example",
      token: "t",
      home: "/h",
    });
  });

  it("takes the token and the home from the environment, where other users cannot see them", () => {
    const environment = { GANTRY_TOKEN: "t", GANTRY_HOME: "/h" };
    expect(readArguments(["enroll", "--url", "https://x.example"], environment)).toMatchObject({
      kind: "enroll",
      token: "t",
      home: "/h",
    });
    expect(readArguments(["status"], environment)).toEqual({ kind: "status", home: "/h" });
    expect(readArguments(["run", "--home", "/other"], environment)).toMatchObject({ home: "/other" });
  });

  it.each(["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787", "https://x.example"])(
    "accepts a token for a URL where others cannot read it: %s",
    (url) => {
      expect(readArguments(["enroll", "--url", url, "--token", "t", "--home", "/h"])).toMatchObject({ url });
    },
  );

  it.each([
    [[], "a command is missing: enroll, run, status or check-policy"],
    [["dance"], "unknown command dance"],
    [["run"], "--home is missing"],
    [["run", "--home", "/h", "extra"], "unexpected arguments: extra"],
    [["check-policy"], "check-policy needs a file"],
    [["check-policy", "a", "b"], "unexpected arguments: b"],
    [["enroll", "--url", "ftp://x", "--token", "t", "--home", "/h"], "--url must be"],
    [["enroll", "--url", "http://x.example", "--token", "t", "--home", "/h"], "is plain HTTP"],
  ])("that is wrong is told what is wrong: %j", (argv, message) => {
    const read = readArguments(argv);
    expect(read.kind === "wrong" && read.message).toContain(message);
  });
});

describe("the agent's version", () => {
  it("equals the package's version", () => {
    const path = new URL("../../package.json", import.meta.url);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ version: AGENT_VERSION });
  });
});

describe("an endpoint's address", () => {
  it("is below the control plane's own path", () => {
    const url = endpointUrl("https://x.example/gantry/", "/v1/agent/:id/events", { id: "a/b" });
    expect(url.href).toBe("https://x.example/gantry/v1/agent/a%2Fb/events");
  });
});
