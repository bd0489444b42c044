import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { parseHeaders } from "#build/site-rules/parse-headers.ts";
import { parseRedirects } from "#build/site-rules/parse-redirects.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const redirectsIn = (text: string) => parseRedirects(bytes(text));
const headersIn = (text: string) => parseHeaders(bytes(text));

describe("a line of _redirects", () => {
  it.each([
    ["/a /b", { from: "/a", to: "/b", status: 301 }],
    ["\t/a\t \t/b  302 ", { from: "/a", to: "/b", status: 302 }],
    ["/a/ /b/ 301!", { from: "/a", to: "/b/", status: 301, force: true }],
    ["/a /b # why", { from: "/a", to: "/b", status: 301 }],
    ["/a /b#part 308 # why", { from: "/a", to: "/b#part", status: 308 }],
    ["/a//b#x /c", { from: "/a/b", to: "/c", status: 301 }],
    ["/a\u00a0/b", { from: "/a", to: "/b", status: 301 }],
    ["/über/%c3%a4?? /b", null],
    ['/über%2a/ä"{x} /ö{x}', { from: "/%C3%BCber%2A/%C3%A4%22%7Bx%7D", to: "/%C3%B6%7Bx%7D", status: 301 }],
    ["/100% /50%", { from: "/100%25", to: "/50%25", status: 301 }],
    ["/a HTTP://Example.ORG/B", { from: "/a", to: "http://example.org/B", status: 301 }],
    ["/a https://example.org", { from: "/a", to: "https://example.org", status: 301 }],
    ["/a https://bücher.example/ü", { from: "/a", to: "https://xn--bcher-kva.example/%C3%BC", status: 301 }],
    ["https://A.example/b /c", { host: "a.example", from: "/b", to: "/c", status: 301 }],
    [
      "http://a.example/* https://b.example/:splat 301!",
      {
        host: "a.example",
        from: "/*",
        to: "https://b.example/:splat",
        status: 301,
        force: true,
      },
    ],
    ["https://a.example /c", { host: "a.example", from: "/", to: "/c", status: 301 }],
    [
      "/store id=:id tag=7 /b/:id 302",
      {
        from: "/store",
        query: [
          ["id", ":id"],
          ["tag", "7"],
        ],
        to: "/b/:id",
        status: 302,
      },
    ],
    ["/app/* 200", { from: "/app/*", to: "/app/:splat", status: 200 }],
    ["/* /index.html 200", { from: "/*", to: "/index.html", status: 200 }],
    ["/x/:y /z/:y/Talk:Page", { from: "/x/:y", to: "/z/:y/Talk:Page", status: 301 }],
    ["/old id=1 /old?id=2", { from: "/old", query: [["id", "1"]], to: "/old?id=2", status: 301 }],
    [
      "https://a.example/x https://b.example/x",
      {
        host: "a.example",
        from: "/x",
        to: "https://b.example/x",
        status: 301,
      },
    ],
  ])("is read: %s", (line, rule) => {
    const { rules, problems } = redirectsIn(line);
    if (rule === null) expect([rules.length, problems.length]).toEqual([0, 1]);
    else expect([problems, rules]).toEqual([[], [rule]]);
  });

  it.each([
    ["/a", "has no target"],
    ["/a # /b", "has no target"],
    ["/a 301", "has no target"],
    ["/a/* 301", "has no target"],
    ["/a b", "The target b must begin with /"],
    ["a /b", "The path a must begin with / or https://"],
    ["//a /b", "The path //a must begin with"],
    ["/a?b=1 /c", "Write its parameters after the path, as in: /old id=7 /new"],
    ["/a //evil.example", "begins with two slashes"],
    ["/a javascript:alert(1)", "The target javascript:alert(1) must begin with /"],
    ["/a https://", "is no valid address"],
    ["/a https://{env.HOME}/", "is no valid address"],
    ["https://{env.HOME}/a /b", "must be a name"],
    ["/a https://user:password@example.org", "must not contain a user name or password"],
    ["/a/:host https://:host/", "The host of the target has a placeholder"],
    ["/a/* https://example.org:splat", "The host of the target has a placeholder"],
    ["/a/* https://example.org:splat/", "The host of the target has a placeholder"],
    ["/a /b 200", null],
    ["/a https://example.org/b 200", "Gantry does not fetch from other hosts"],
    ["/a/* https://api.example.org/:splat 200!", "Gantry does not fetch from other hosts"],
    ["/a https://example.org/404.html 404", "Gantry does not fetch from other hosts"],
    ["/a /.netlify/functions/b 200", "no functions of Netlify"],
    ["/a /b 418", "The status 418 must be one of 200, 301"],
    ["/a /b 30", "The status 30 must be one of"],
    ["/a /b !301", "The status !301 must be one of"],
    ["/a /b 301 302", "302 after the status has no meaning"],
    ["/a /b 302 Country=us,ca", "no condition Country"],
    ["/a /b Language=de", "no condition Language"],
    ["/a /b 200! Role=admin", "no condition Role"],
    ["/*/a/* /b", "one * only"],
    ["/:a/:a /b", "The placeholder :a is in the path twice"],
    ["/:a-:b /c", "one placeholder or * only"],
    ["/:a*/c /c", "one placeholder or * only"],
    ["/:id id=:id /b", "The placeholder :id is there twice"],
    ["/a /b/:splat", "The target has :splat, but the path has no *"],
    ["/a /a/", "The path leads to itself"],
    ["/a/* /a/:splat 301", "The path leads to itself"],
    ["/a /a?b=c", "The path leads to itself"],
    ["https://a.example/x /x", "The path leads to itself"],
    ["/a id /b", "id is neither a target"],
    ["https://a.example:8080/ /b", "without a port"],
    ["https://*.a.example/* /b", "must be a name"],
    ["https://:x.a.example/* /b", "must be a name"],
    ["/%ff /b", "not UTF-8"],
    [`/${"a".repeat(2000)} /b`, "more than 2000 characters"],
    ["/a\u0007 /b", "control characters"],
  ])("is a problem: %s", (line, reason) => {
    const { rules, problems } = redirectsIn(`# first\n\n${line}\n/next /one`);
    expect(rules.length).toBe(reason === null ? 2 : 1);
    if (reason !== null) expect(problems).toEqual([{ line: 3, reason: expect.stringContaining(reason) }]);
  });

  it("that no request reaches is a problem, unless it says the same", () => {
    const { rules, problems } = redirectsIn(
      [
        "/a /b",
        "/a/ /b",
        "/a /c",
        "/x/:y /1",
        "/x/:z /2",
        "/q a=1 /1",
        "/q b=1 /2",
        "/* /d 302",
        "/e /f",
      ].join("\n"),
    );
    expect(rules.map(({ from }) => from)).toEqual(["/a", "/x/:y", "/q", "/q", "/*"]);
    expect(problems.map(({ line, reason }) => [line, /line \d+ is/.exec(reason)?.[0]])).toEqual([
      [3, "line 1 is"],
      [5, "line 4 is"],
      [9, "line 8 is"],
    ]);
  });

  it("is not reached after a rule with * that matches it, but for the target of that rule", () => {
    const { rules, problems } = redirectsIn(
      "/a/* /a/b\n/a/c /d\n/a/b /d\n/x id=1 /y\n/x /z\nhttps://a.example/b/* /c\n/b/d /e",
    );
    expect(problems.map(({ line }) => line)).toEqual([2]);
    expect(rules.length).toBe(6);
  });

  it("is not used beyond the limits, which one problem says for each kind", () => {
    const many = (count: number, path: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => `${path(at)} /to`);
    const { rules, problems } = redirectsIn(
      [...many(2003, (at) => `/a${at}`), ...many(101, (at) => `/b${at}/*`)].join("\n"),
    );
    expect(rules.length).toBe(2100);
    expect(problems).toEqual([
      { line: 2001, reason: expect.stringContaining("This line and 2 more are not used") },
      { line: 2104, reason: expect.stringContaining("This line is not used") },
    ]);
  });
});

describe("the text of a file", () => {
  it("may have a byte-order mark and each kind of line end", () => {
    const { rules, problems } = redirectsIn("\ufeff/a /b\r\n# c\r/c /d\n\r\n/e /f");
    expect([rules.map(({ from }) => from), problems]).toEqual([["/a", "/c", "/e"], []]);
  });

  it("in another encoding is a problem", () => {
    const utf16 = Buffer.from("\ufeff/a /b\n", "utf16le");
    expect(parseRedirects(utf16)).toMatchObject({ rules: [], problems: [{ line: 1 }] });
    expect(parseRedirects(Buffer.from("/a /b\n/caf\xe9 /c", "latin1"))).toMatchObject({
      rules: [{ from: "/a" }],
      problems: [{ line: 2, reason: "The line is not UTF-8." }],
    });
  });

  it("longer than 1 MiB is read until there", () => {
    const { rules, problems } = redirectsIn(`/a /b\n${"# comment\n".repeat(120_000)}/c /d`);
    expect([rules.length, problems]).toEqual([
      1,
      [{ line: expect.any(Number), reason: expect.stringContaining("1 MiB") }],
    ]);
  });
});

it("understands the examples of the docs", () => {
  const page = readFileSync(new URL("../../../docs/static-sites.md", import.meta.url), "utf8");
  const example = (title: string) =>
    page.split(`## ${title}\n`)[1]?.split("```")[1]?.replace("text\n", "") ?? "";
  expect(redirectsIn(example("Redirects"))).toMatchObject({ rules: { length: 10 }, problems: [] });
  expect(headersIn(example("Headers"))).toMatchObject({ rules: { length: 5 }, problems: [] });
});

describe("a file _headers", () => {
  it("has paths with their headers, of which a name can have several values", () => {
    const text = [
      "# comment",
      "/*",
      "  X-Frame-Options: DENY",
      "  # indented",
      "\tLink: </a.css>; rel=preload",
      "  link: </b.js>; rel=preload",
      "https://A.example/x/:y",
      "X-Y: :y: and more",
      "  ! X-Frame-Options",
      "/empty",
      "/caf\u00e9/ # comment",
      "  A:b",
    ].join("\r\n");
    expect(headersIn(text)).toEqual({
      rules: [
        {
          from: "/*",
          unset: [],
          set: [
            ["x-frame-options", "DENY"],
            ["link", "</a.css>; rel=preload, </b.js>; rel=preload"],
          ],
        },
        { host: "a.example", from: "/x/:y", unset: ["x-frame-options"], set: [["x-y", ":y: and more"]] },
        { from: "/caf%C3%A9", unset: [], set: [["a", "b"]] },
      ],
      problems: [{ line: 10, reason: "The path has no headers that are used." }],
    });
  });

  it.each([
    ["Content-Length: 5", "content-length is set by the web server alone"],
    ["transfer-encoding: chunked", "set by the web server alone"],
    ["Connection: close", "set by the web server alone"],
    ["Gantry-Release: 9", "set by the web server alone"],
    ["ETag: x", "set by the web server alone"],
    ["! Content-Length", "set by the web server alone"],
    ["Set-Cookie: a=b", "cannot set cookies"],
    ["Location: /x", "Redirects are in _redirects"],
    ["Basic-Auth: ada:secret", "these pages are public"],
    ["X-Accel-Redirect: /etc/passwd", "an instruction for a web server"],
    ["X-Sendfile: /etc/passwd", "an instruction for a web server"],
    ["X Frame: a", '"x frame"'.replaceAll('"', "")],
    ["X-Ü: a", "is no name of a header"],
    [": a", "is no name of a header"],
    ["X-Empty:", "The header x-empty has no value"],
    ["X-Frame-Options DENY", "must be a header such as"],
    ["X-Bell: a\u0007b", "control characters"],
  ])("does not set %s", (line, reason) => {
    const { rules, problems } = headersIn(`/a\n  A: b\n  ${line}`);
    expect(rules).toEqual([{ from: "/a", unset: [], set: [["a", "b"]] }]);
    expect(problems).toEqual([{ line: 3, reason: expect.stringContaining(reason) }]);
    // A password must not be in a log.
    expect(JSON.stringify(problems)).not.toContain("secret");
  });

  it.each([
    ["  A: b", 1, "A path must come before A. It"],
    ["/a b\n  A: b", 1, "contains a space"],
    ["ftp://a.example/\n  A: b", 1, "must begin with / or https://"],
    ["https://:project.pages.dev/*\n  A: b", 1, "must be a name"],
    ["/a?b\n  A: b", 1, "has a query"],
    ["*.js\n  A: b", 1, "The path *.js must begin with /"],
    ["assets/*\n  A: b", 1, "The path assets/* must begin with /"],
  ])("needs a path that is understood: %s", (text, line, reason) => {
    expect(headersIn(text)).toEqual({
      rules: [],
      problems: [{ line, reason: expect.stringContaining(reason) }],
    });
  });

  it("has 100 paths at most", () => {
    const text = Array.from({ length: 103 }, (_, at) => `/${at}\n  A: b`).join("\n");
    expect(headersIn(text)).toMatchObject({
      rules: { length: 100 },
      problems: [{ line: 201, reason: expect.stringContaining("This one and 2 more are not used") }],
    });
  });
});
