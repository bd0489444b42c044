import { tmpdir } from "node:os";

import { expect, it } from "vitest";

import { openPolicy } from "#agent/policy/policy.ts";
import type { CommandEnd } from "#build/failure/command-failure.ts";
import { imageFailure, pulledImage, unreadableImage } from "#agent/run/image/image-failure.ts";

const ended = (error: string) => ({
  end: { kind: "exited", code: 125 } as const,
  stderrTail: `Trying to pull docker.io/library/node:24...\nTrying to pull ghcr.io/acme/base:1...\nError: ${error}\n`,
  outputTail: "",
});
const context = { home: tmpdir(), policy: { ...openPolicy, file: "/etc/gantry/policy.json" } };
const failureOf = (error: string, place: string | null = null) => failureOfEnd(ended(error), place);
const failureOfEnd = (ran: CommandEnd, place: string | null = null) => {
  const logins = place === null ? [] : [{ user: "ada", token: "pull_0123456789", place }];
  return imageFailure(context, ran, { image: pulledImage(ran), logins });
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
    "ghcr.io refuses access to the base image ghcr.io/acme/base:1",
  ],
])("the failure of an image names its instruction and the reason: %s", async (error, message) => {
  expect((await failureOf(error)).message).toBe(message);
});

const DENIED =
  "creating build container: initializing source docker://ghcr.io/acme/base:1: reading manifest 1 in ghcr.io/acme/base: authentication required";

it.each([
  [null, /^If it is private, add a line USER:TOKEN@ghcr\.io to the secret GANTRY_REGISTRY_TOKEN/],
  ["ghcr.io/other", /^If it is private/],
  ["ghcr.io", /^It was asked as the user `ada` with the secret GANTRY_REGISTRY_TOKEN/],
  ["ghcr.io/acme", /^It was asked as the user `ada`/],
])("a refused pull names the registry, and what to do with a login for %s", async (place, hint) => {
  const failure = await failureOf(DENIED, place);
  expect(failure).toMatchObject({ code: "fetch_failed", hint: expect.stringMatching(hint) });
  expect(JSON.stringify(failure)).not.toContain("pull_0123456789");
});

it.each([
  ["A signature was required, but no signature exists", "image_unsigned"],
  [
    "cryptographic signature verification failed: invalid signature when validating ASN.1 encoded signature",
    "image_unsigned",
  ],
  ["Running image docker://ghcr.io/acme/base:1 is rejected by policy.", "refused_by_policy"],
])("a base image that the rule about signatures refuses: %s", async (reason, code) => {
  expect(await failureOf(`creating build container: Source image rejected: ${reason}`)).toMatchObject({
    code,
    message: expect.stringContaining("the base image ghcr.io/acme/base:1"),
    hint: expect.stringContaining('the rule "image_signatures" in /etc/gantry/policy.json'.slice(4)),
  });
});

it("the image of an instruction is known, because buildah does not say why it cannot get it", () => {
  expect(unreadableImage(ended("COPY --from=acme/base:1: no stage or image found with that name"))).toBe(
    "ghcr.io/acme/base:1",
  );
  expect(unreadableImage(ended(DENIED))).toBeNull();
});

it("the failing line of an image is one of the instruction that failed", async () => {
  const said = 'building at STEP "RUN bundle install": while running runtime: exit status 4';
  const outputTail = [
    "[2/3] STEP 2/6: RUN apt-get install git",
    "Selecting previously unselected package liberror-perl.",
    "[2/3] STEP 3/6: RUN bundle install",
    "Fetching gem metadata",
    "[!] There was an error parsing `Gemfile`: unexpected end",
    `Error: ${said}`,
  ].join("\n");
  const end = { kind: "exited", code: 4 } as const;
  const { failing_line } = await failureOfEnd({ end, stderrTail: `Error: ${said}\n`, outputTail });
  expect(failing_line).toBe("[!] There was an error parsing `Gemfile`: unexpected end");
});

it("a program that an instruction does not find is missing in the image", async () => {
  const said = 'Error: building at STEP "RUN bunx build": while running runtime: exit status 127';
  const end = { kind: "exited", code: 127 } as const;
  const outputTail = `STEP 2/2: RUN bunx build\n/bin/sh: 1: bunx: not found\n${said}\n`;
  const { hint, failing_line } = await failureOfEnd({ end, stderrTail: `${said}\n`, outputTail });
  expect(hint).toMatch(/^The image has no program `bunx`/);
  expect(failing_line).not.toMatch(/^Error: building at STEP/);
});
