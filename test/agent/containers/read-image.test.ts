import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { USERS } from "#agent/containers/build-script.ts";
import { readImage } from "#agent/containers/read-image.ts";

const ID = "a".repeat(64);

const users = `root:x:0:0:root:/root:/bin/sh
app:x:1000:1001:App:/app:/bin/sh

group:root:x:0:
group:web:x:33:app
`;

const described = (config: Readonly<Record<string, unknown>>) =>
  readImage(`${JSON.stringify([{ Id: ID, Size: 5000, Config: config }])}\n${USERS}\n${users}`);

describe("an image that was built", () => {
  it("has the command, the user, the folder, the ports and the signal of its Dockerfile", () => {
    expect(
      described({
        User: "app",
        ExposedPorts: { "3000/tcp": {}, "53/udp": {} },
        Entrypoint: ["/app/start.sh"],
        Cmd: ["node", "a file.js"],
        WorkingDir: "/app",
        StopSignal: "SIGQUIT",
      }),
    ).toEqual({
      ok: true,
      value: {
        id: ID,
        bytes: 5000,
        command: "/app/start.sh node 'a file.js'",
        user: { uid: 1000, gid: 1001 },
        directory: "/app",
        ports: [3000],
        stop_signal: "SIGQUIT",
      },
    });
  });

  it("is refused if its command is longer than the command of a process may be", () => {
    expect(described({ Cmd: ["echo", "x".repeat(8188)] })).toEqual({
      ok: false,
      reason: "the command of the image, ENTRYPOINT and CMD, is longer than 8192 characters",
    });
    expect(described({ Cmd: ["echo", "x".repeat(8187)] })).toMatchObject({ ok: true });
  });

  it("runs as root in its top folder if it says nothing", () => {
    expect(described({})).toMatchObject({
      value: { user: { uid: 0, gid: 0 }, directory: "/", command: null, ports: [] },
    });
  });

  it.each([
    ["1000", { uid: 1000, gid: 1001 }],
    ["1000:1000", { uid: 1000, gid: 1000 }],
    ["app:web", { uid: 1000, gid: 33 }],
    ["5000", { uid: 5000, gid: 0 }],
    ["0", { uid: 0, gid: 0 }],
  ])("runs as the user %s", (name, user) => {
    expect(described({ User: name })).toMatchObject({ value: { user } });
  });

  it.each([
    [{ User: "nobody-knows" }, "the user nobody-knows"],
    [{ User: "app:nobody-knows" }, "the group nobody-knows"],
    [{ User: "70000" }, "the ids 0 to 65535"],
    [{ WorkingDir: "app" }, "the working directory"],
  ])("is refused: %o", (config, reason) => {
    expect(described(config)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it("can print anything, and is then refused", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (output) => {
        expect(readImage(output).ok).toBe(false);
      }),
    );
  });
});
