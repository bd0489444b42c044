import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  MAX_DOCKERFILE_BYTES,
  readDockerfile,
  stageTitle,
} from "#project-files/dockerfile/read-dockerfile.ts";
import { djangoDockerfile, goDockerfile, nextDockerfile, railsDockerfile } from "./dockerfiles.ts";

const place = { path: "Dockerfile", target: null };
const read = (text: string, target: string | null = null) => readDockerfile(text, { ...place, target });

function factsOf(text: string, target: string | null = null) {
  const found = read(text, target);
  if (!found.ok) throw new Error(found.problem.message);
  const { stages, target: at, args: _args, writtenArgs: _written, argNames, ...rest } = found.value;
  return {
    ...rest,
    args: argNames,
    stages: stages.map((stage, index) => stageTitle(stage, index)),
    target: stages[at]?.name ?? at,
  };
}

const problemOf = (text: string, target: string | null = null) => {
  const found = read(text, target);
  return found.ok ? null : found.problem;
};

describe("a Dockerfile", () => {
  it("of Rails is read", () => {
    expect(factsOf(railsDockerfile)).toEqual({
      stages: ["base", "build", "2"],
      target: 2,
      args: ["RUBY_VERSION"],
      baseImages: ["docker.io/library/ruby:3.4.7-slim"],
      secrets: [],
      ports: [80],
      entrypoint: { kind: "exec", words: ["/rails/bin/docker-entrypoint"] },
      command: { kind: "exec", words: ["./bin/thrust", "./bin/rails", "server"] },
      user: "1000:1000",
      workdir: "/rails",
      volumes: [],
    });
  });

  it("of Next is read", () => {
    expect(factsOf(nextDockerfile)).toEqual({
      stages: ["base", "deps", "builder", "runner"],
      target: "runner",
      args: ["NEXT_PUBLIC_API"],
      baseImages: ["node:24-alpine"],
      secrets: ["NPM_TOKEN"],
      ports: [3000],
      entrypoint: null,
      command: { kind: "exec", words: ["node", "server.js"] },
      user: "nextjs",
      volumes: [],
      workdir: "/app",
    });
  });

  it("of Django is read, with a port in a variable and a text that has no instructions", () => {
    expect(factsOf(djangoDockerfile)).toEqual({
      stages: ["0"],
      target: 0,
      args: [],
      baseImages: ["python:3.13-slim"],
      secrets: [],
      ports: [8000],
      entrypoint: null,
      command: { kind: "shell", line: "gunicorn --bind 0.0.0.0:$PORT shop.wsgi" },
      user: null,
      volumes: [],
      workdir: "/code",
    });
  });

  it("of Go is read, without the secrets of a stage that is not built", () => {
    expect(factsOf(goDockerfile)).toEqual({
      stages: ["build", "test", "2"],
      target: 2,
      args: ["GO_VERSION"],
      baseImages: ["golang:1.26", "gcr.io/distroless/static-debian12:nonroot", "alpine:3.23"],
      secrets: ["netrc"],
      ports: [8080],
      entrypoint: { kind: "exec", words: ["/server"] },
      command: null,
      user: "nonroot",
      volumes: [],
      workdir: null,
    });
  });

  it("has the ports, the program and the secrets of its target", () => {
    expect(factsOf(goDockerfile, "test")).toMatchObject({
      target: "test",
      baseImages: ["golang:1.26"],
      secrets: ["netrc", "TEST_TOKEN"],
      ports: [],
      entrypoint: null,
    });
    expect(factsOf(railsDockerfile, "BUILD")).toMatchObject({ target: "build", user: null });
    expect(factsOf(railsDockerfile, "0")).toMatchObject({ target: "base" });
  });

  it.each([
    ["a port with a protocol", "EXPOSE 3000/tcp 53/udp", [3000]],
    ["a range", "EXPOSE 8000-8002", [8000, 8001, 8002]],
    ["several lines", "EXPOSE 80\nEXPOSE 443", [80, 443]],
    ["a quoted port", 'EXPOSE "3000"', [3000]],
    ["a default", "EXPOSE ${PORT:-4000}", [4000]],
    ["an argument with a default", "ARG PORT=5000\nEXPOSE $PORT", [5000]],
    ["a variable of the environment", "ARG PORT=1\nENV PORT=6000\nEXPOSE $PORT", [6000]],
    ["an unknown variable", "EXPOSE $PORT", []],
    ["what is no port", "EXPOSE web 0 65536 9-8", []],
    ["lower case", "expose 80", [80]],
    ["a comment between continued lines", "EXPOSE 80 \\\n# and\n\n  443", [80, 443]],
    ["a comment", "# EXPOSE 80", []],
    ["a line that continues at the end of the file", "EXPOSE 80 \\", [80]],
    ["a text of RUN", "RUN <<EOF\nEXPOSE 80\nEOF", []],
    ["two texts of COPY", "COPY <<A <<'B' /x/\nEXPOSE 1\nA\nEXPOSE 2\nB\nEXPOSE 3", [3]],
    ["a shift in a shell", "RUN echo $((1<<2))\nEXPOSE 80", [80]],
    ["a text after a program", "RUN python3 <<EOF > /x\nEXPOSE 1\nEOF\nEXPOSE 80", [80]],
    ["an escaped backslash at the end of a line", "RUN echo \\\\\nEXPOSE 80", [80]],
    ["Windows' ends of lines", "RUN a \\\r\n  b\r\nEXPOSE 80\r\n", [80]],
  ])("exposes %s", (_, lines, ports) => {
    expect(factsOf(`FROM scratch\n${lines}\n`).ports).toEqual(ports);
  });

  it("continues lines with the character that its first lines name", () => {
    const text = "# escape=`\nFROM mcr.microsoft.com/windows\nRUN dir c:\\\nEXPOSE 80 `\n  81\n";
    expect(factsOf(text).ports).toEqual([80, 81]);
    // After another comment, it is a comment.
    expect(factsOf("# about\n# escape=`\nFROM a\nRUN x \\\nEXPOSE 80\n").ports).toEqual([]);
  });

  it("has the default of an argument before FROM only in stages that take it", () => {
    const stage = (lines: string) => `ARG PORT=3000\nFROM a\n${lines}\nEXPOSE $PORT\n`;
    expect(factsOf(stage("ARG PORT")).ports).toEqual([3000]);
    expect(factsOf(stage("")).ports).toEqual([]);
  });

  it("continues a stage with its ports, its program and its variables", () => {
    const text =
      'FROM a AS one\nENV P=1\nEXPOSE $P\nENTRYPOINT ["x"]\nCMD ["y"]\nUSER me\nFROM one\nEXPOSE 2$P\n';
    expect(factsOf(text)).toMatchObject({
      ports: [1, 21],
      entrypoint: { words: ["x"] },
      command: { words: ["y"] },
      user: "me",
      baseImages: ["a"],
    });
    expect(factsOf(`${text}ENTRYPOINT z`)).toMatchObject({ entrypoint: { line: "z" }, command: null });
  });

  it.each([
    ["WORKDIR /app/", "/app"],
    ["WORKDIR /srv\nWORKDIR app//web", "/srv/app/web"],
    ["ENV BASE=/srv/me\nWORKDIR $BASE/app", "/srv/me/app"],
    ['WORKDIR "/my app"', "/my app"],
    ["WORKDIR app", null],
    ["WORKDIR $HOME", null],
    ["WORKDIR /app\nWORKDIR ../x", null],
  ])("starts its program in the folder of %j", (lines, workdir) => {
    expect(factsOf(`FROM a\n${lines}`).workdir).toBe(workdir);
    expect(factsOf(`FROM a AS b\n${lines}\nFROM b`).workdir).toBe(workdir);
  });

  it.each([
    ["VOLUME /data", ["/data"]],
    ["WORKDIR /app\nVOLUME data /var/lib/x", ["/app/data", "/var/lib/x"]],
    ['ENV D=/d\nVOLUME ["$D", "/e f"]', ["/d", "/e f"]],
    ["VOLUME $NOTHING", []],
    ["VOLUME data", []],
  ])("keeps the files of the volumes of %j", (lines, volumes) => {
    expect(factsOf(`FROM a AS b\n${lines}\nFROM b\nVOLUME /data`).volumes).toEqual([
      ...new Set([...volumes, "/data"]),
    ]);
  });

  it("names the ids of the secrets that are mounted", () => {
    const mounts = [
      "type=secret,id=A",
      "id=B,type=secret,required=true",
      "type=secret,target=/run/secrets/C",
      "type=ssh",
    ];
    const text = `FROM a\n${mounts.map((one) => `RUN --network=none --mount=${one} x`).join("\n")}`;
    expect(factsOf(text).secrets).toEqual(["A", "B", "C"]);
    expect(factsOf("FROM a\nARG ID=A\nRUN --mount=type=secret,id=$ID x").secrets).toEqual(["A"]);
    expect(factsOf('FROM a\nRUN --mount="type=secret,id=A" x --mount=type=secret,id=B').secrets).toEqual([
      "A",
    ]);
  });

  it.each([
    ["", "Dockerfile has no line FROM", /FROM node:24/],
    ["# only a comment\nARG A", "Dockerfile has no line FROM", /FROM node:24/],
    ["ARG A\nRUN x\nFROM a", "line 2 of Dockerfile has an instruction before the first FROM", /line 2/],
    ["FROM a\n\nFROM --platform=x", "line 3 of Dockerfile has a FROM without an image", /line 3/],
    ["FROM a\nRUN <<EOF\nx", "line 2 of Dockerfile begins a text until `EOF` that does not end", /`EOF`/],
    ["FROM a\n".repeat(201), "line 201 of Dockerfile has one stage too many", /line 201/],
    [`FROM a\n#${"x".repeat(MAX_DOCKERFILE_BYTES)}`, "Dockerfile is larger than 256 KiB", /right file/],
  ])("that cannot be built is refused: %j", (text, message, hint) => {
    expect(problemOf(text)?.message).toContain(message);
    expect(problemOf(text)?.hint).toMatch(hint);
  });

  it("without the target is refused with its stages", () => {
    expect(problemOf(nextDockerfile, "web")).toEqual({
      message: "Dockerfile has no stage `web`, which is the target",
      hint: "Its stages are `base`, `deps`, `builder`, `runner`. Correct the target, or remove `target` from the setting dockerfile to build the last stage.",
    });
    expect(problemOf("FROM a", "web")?.hint).toContain("`FROM node:24 AS web`");
  });
});

/** Parts of which Dockerfiles consist, also where they do not belong. */
const parts = [
  ...[
    "FROM a",
    "FROM a AS b",
    "FROM b",
    "ARG A=1",
    "ARG",
    "ENV A=$A$A",
    "ENV A b",
    "EXPOSE $A 80",
    "CMD [",
    'CMD ["a"]',
  ],
  ...[
    "RUN --mount=type=secret,id=A x",
    "RUN <<EOF",
    "EOF",
    "COPY --from=b x y",
    "COPY --from=0 . .",
    "USER 'x",
    "# c",
    "# escape=`",
  ],
  ...["\\", "`", "  ", '"', "'", "${A", "${A:-", "$", "--", "<<-", "\t", "\r", "\uFEFF"],
];
const anyDockerfile = fc
  .array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 40 })
  .chain((lines) => fc.constantFrom("\n", "\r\n", " \\\n", " ").map((between) => lines.join(between)));

describe("any text", () => {
  it("is read or refused, and never throws", () => {
    fc.assert(
      fc.property(anyDockerfile, fc.option(fc.string()), (text, target) => {
        const found = read(text, target);
        if (found.ok) expect(found.value.stages.length).toBeGreaterThan(found.value.target);
        else expect(found.problem.message).not.toBe("");
      }),
    );
  });

  it("means the same if a line is continued", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const gap = fc.constantFrom(" ", " \\\n", "\\\n  ", " \\ \t\n # comment\n\n ");
    const line = fc.tuple(
      fc.constantFrom("EXPOSE", "ARG", "USER"),
      fc.array(fc.tuple(gap, word), { minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const textOf = (join: (gap: string) => string) =>
          `FROM a\n${lines.map(([name, words]) => name + words.map(([between, one]) => join(between) + one).join("")).join("\n")}\n`;
        const whole = read(textOf((between) => between.replace(/\\[ \t]*\n(?:\s*#.*\n|\s*\n)*/g, "")));
        const continued = read(textOf((between) => between));
        const { stages: _, ...facts } = whole.ok ? whole.value : { stages: [] };
        expect(continued).toMatchObject({ value: facts });
      }),
    );
  });

  it("of the largest size is read in less than two seconds of CPU time", () => {
    const lines = [
      "ENV A=1",
      "ENV B=$A$B",
      "FROM a AS b",
      "RUN x \\",
      "RUN <<E\nE",
      'ARG A="b c"',
      "EXPOSE 1-65535",
      "COPY --from=b a b",
      "${A:-",
    ];
    for (const line of lines) {
      const text = `FROM a\n${`${line}\n`.repeat(MAX_DOCKERFILE_BYTES / (line.length + 1) - 2)}`;
      const start = process.cpuUsage();
      read(text);
      const { user, system } = process.cpuUsage(start);
      expect(user + system, line).toBeLessThan(2_000_000);
    }
  });
});
