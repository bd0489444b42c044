import { tmpdir } from "node:os";

import { expect, it } from "vitest";

import { imageFailure } from "#agent/run/image/image-failure.ts";

const messageOf = async (error: string) => {
  const stderrTail = `STEP 1/2: FROM node:24\nError: ${error}\n`;
  const end = { kind: "exited", code: 125 } as const;
  return (await imageFailure(tmpdir(), { end, stderrTail, outputTail: "" })).message;
};

it.each([
  [
    'building at STEP "COPY l2 /y": reading "/r/l2": error during bulk transfer for copier.request{Request:"GET", Globs:[]string{"/l2"}}: copier: get: lstat "/l2"("/etc/passwd"): no such file or directory',
    'the instruction `COPY l2 /y` failed: copier: get: lstat "/l2"("/etc/passwd"): no such file or directory',
  ],
  [
    'building at STEP "ADD https://a.example/b /": dial tcp: lookup a.example: no such host',
    "the instruction `ADD https://a.example/b /` failed: dial tcp: lookup a.example: no such host",
  ],
  [
    'building at STEP "COPY a /": open /r/a: permission denied',
    "the instruction `COPY a /` failed: open /r/a: permission denied",
  ],
  [
    'building at STEP "RUN echo "a": b": while running runtime: exit status 7',
    'the instruction `RUN echo "a": b` ended with exit code 7',
  ],
  [
    'building at STEP "COPY --from=a.example/b /c /c": initializing source docker://a.example/b:latest: unauthorized: authentication required',
    "the registry of a base image refuses access",
  ],
])("the failure of an image names its instruction and the reason: %s", async (error, message) => {
  expect(await messageOf(error)).toBe(message);
});
