import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { DeploymentEvent } from "#contract/endpoints/events/schemas.ts";
import type { CommitStatusSettings, StatusForge } from "#contract/endpoints/webhooks/settings.ts";
import { DeploymentId } from "#contract/ids.ts";
import { keepOfAnswer, nextRequest } from "#domain/notify/next-request.ts";
import type { OutgoingRequest, OutletMemory, TargetAnswer } from "#domain/outlet/outgoing-request.ts";
import {
  type FakeForge,
  fakeBitbucket,
  fakeGitea,
  fakeGithub,
  fakeGitlab,
} from "../../support/receivers/forges.ts";
import { deploymentEvent, PUSHED_SHA, SHA, testEvent } from "../../support/sample-events.ts";

const TOKEN = "token-of-the-forge";

function settingsFor(forge: StatusForge, changed: Partial<CommitStatusSettings> = {}): CommitStatusSettings {
  return {
    kind: "commit_status",
    forge,
    api_url: null,
    token: TOKEN,
    statuses: true,
    deployments: false,
    environment: null,
    ...changed,
  };
}

const fakes = { github: fakeGithub, gitlab: fakeGitlab, gitea: fakeGitea, bitbucket: fakeBitbucket };
const hosts = {
  github: "https://api.github.com",
  gitlab: "https://gitlab.com",
  gitea: "https://codeberg.org",
  bitbucket: "https://api.bitbucket.org",
};
const repositories = {
  github: "https://github.com/alice/shop.git",
  gitlab: "git@gitlab.com:group/sub/shop.git",
  gitea: "https://codeberg.org/alice/shop",
  bitbucket: "https://x-token-auth:secret@bitbucket.org/alice/shop.git",
};

/** Sends the events to a fake forge as an outlet does. `isLost`: whether the answer to a request is lost. */
function outlet(settings: CommitStatusSettings, forge: FakeForge) {
  let memory: OutletMemory = {};
  function ask(request: OutgoingRequest): TargetAnswer {
    const path = request.url.slice(hosts[settings.forge].length);
    expect(request.url.startsWith(`${hosts[settings.forge]}/`)).toBe(true);
    const body: unknown = request.body === "" ? null : JSON.parse(request.body);
    const answer = forge.answer({ method: request.method, path, headers: request.headers, body });
    const text = JSON.stringify(answer.body).slice(0, 4096);
    const isAccepted = request.acceptedProblem !== null && text.includes(request.acceptedProblem);
    return { status: answer.status === 400 && isAccepted ? 200 : answer.status, body: text };
  }
  return (event: DeploymentEvent, isLost: (request: number) => boolean = () => false): boolean => {
    const answers: TargetAnswer[] = [];
    for (;;) {
      const input = {
        event,
        settings,
        origin: "https://gantry.example.com",
        outcomeBefore: null,
        memory,
        answers,
      };
      const request = nextRequest(input);
      if (request === null) return true;
      const answer = ask(request);
      expect([request.url, answer.status, answer.body]).toEqual([
        request.url,
        expect.closeTo(200, -2),
        answer.body,
      ]);
      if (isLost(answers.length)) return false;
      answers.push(answer);
      memory = { ...memory, ...keepOfAnswer({ ...input, answers }) };
      if (answers.length > 10) throw new Error("the delivery does not end");
    }
  };
}

const life: readonly DeploymentEvent["type"][] = [
  "deployment.started",
  "deployment.building",
  "deployment.live",
];

describe.each(["github", "gitlab", "gitea", "bitbucket"] as const)(
  "the status of a commit at %s",
  (forge) => {
    it("is pending, then a success, with a name and a link", () => {
      const fake = fakes[forge](TOKEN);
      const send = outlet(settingsFor(forge), fake);
      life.forEach((type, at) =>
        send(deploymentEvent(type, {}, { sequence: at + 1, repository: repositories[forge] })),
      );
      const statuses = fake.statuses.get(SHA) ?? [];
      expect(statuses.map(({ state }) => state.toLowerCase()).join(" ")).toMatch(
        /^(?:pending pending|pending running|inprogress inprogress) success(?:ful)?$/,
      );
      expect(statuses.at(-1)).toMatchObject({
        context: "gantry/shop",
        description: "v12 is live. It took 1 min 20 s.",
      });
    });

    it.each([
      ["deployment.failed", "v12 failed (build). The build command exited with code 1"],
      ["deployment.canceled", "v12 was canceled. By ci."],
    ] as const)("ends after %s", (type, description) => {
      const fake = fakes[forge](TOKEN);
      const send = outlet(settingsFor(forge), fake);
      send(deploymentEvent(type, {}, { repository: repositories[forge] }));
      const last = fake.statuses.get(SHA)?.at(-1);
      expect(last?.state).toMatch(/^(?:fail|error|canceled|stopped)/i);
      expect(last?.description).toBe(description);
    });

    it("ends for the pushed commit too if a newer one was deployed", () => {
      const fake = fakes[forge](TOKEN);
      const send = outlet(settingsFor(forge), fake);
      const repository = repositories[forge];
      const pushed = { pushed_sha: PUSHED_SHA };
      send(
        deploymentEvent("deployment.started", { ...pushed, commit_sha: null }, { sequence: 1, repository }),
      );
      expect(fake.statuses.get(PUSHED_SHA)?.at(-1)?.state).toMatch(/pending|inprogress/i);
      send(deploymentEvent("deployment.building", pushed, { sequence: 2, repository }));
      send(deploymentEvent("deployment.live", pushed, { sequence: 3, repository }));
      expect(fake.statuses.get(SHA)?.at(-1)?.state).toMatch(/success/i);
      expect(fake.statuses.get(PUSHED_SHA)?.at(-1)).toMatchObject({
        state: expect.stringMatching(/success/i),
        description: "v12 is live with the commit 8e8412f. It took 1 min 20 s.",
      });
    });

    it("ends with the newest event, in any order, with repeated events and lost answers", () => {
      const repository = repositories[forge];
      const first = { pushed_sha: PUSHED_SHA };
      const second = {
        id: DeploymentId.parse(`dpl_${"0".repeat(24)}99`),
        version: 13,
        commit_sha: PUSHED_SHA,
        pushed_sha: PUSHED_SHA,
      };
      const events = [
        deploymentEvent("deployment.started", first, { sequence: 1, repository }),
        deploymentEvent("deployment.building", first, { sequence: 2, repository }),
        deploymentEvent("deployment.started", second, { sequence: 3, repository }),
        deploymentEvent("deployment.failed", first, { sequence: 4, repository }),
        deploymentEvent("deployment.building", second, { sequence: 5, repository }),
        deploymentEvent("deployment.live", second, { sequence: 6, repository }),
      ];
      fc.assert(
        fc.property(
          fc.array(fc.record({ at: fc.nat(events.length - 1), lostAfter: fc.nat(4) }), { maxLength: 12 }),
          fc.shuffledSubarray([...events.keys()], { minLength: events.length }),
          (attempts, order) => {
            const fake = fakes[forge](TOKEN);
            const send = outlet(settingsFor(forge, { deployments: true }), fake);
            for (const { at, lostAfter } of attempts) {
              const event = events[at];
              if (event !== undefined) send(event, (request) => request === lostAfter);
            }
            for (const at of order) {
              const event = events[at];
              if (event !== undefined) expect(send(event)).toBe(true);
            }
            expect(fake.statuses.get(SHA)?.at(-1)?.state).toMatch(/fail/i);
            expect(fake.statuses.get(PUSHED_SHA)?.at(-1)?.state).toMatch(/success/i);
            for (const { states } of fake.deployments)
              expect(["failure", "success"]).toContain(states.at(-1));
            expect(fake.deployments.length).toBe(forge === "github" ? 2 : 0);
          },
        ),
        { numRuns: 60 },
      );
    });

    it("is checked by a request that fails with a wrong token", () => {
      const ask = (settings: CommitStatusSettings) => {
        const input = {
          event: testEvent(),
          settings,
          origin: "",
          outcomeBefore: null,
          memory: {},
          answers: [],
        };
        const request = nextRequest(input);
        const path = request?.url.slice(hosts[forge].length) ?? "";
        return fakes[forge](TOKEN).answer({
          method: "GET",
          path,
          headers: request?.headers ?? {},
          body: null,
        }).status;
      };
      expect(ask(settingsFor(forge))).toBe(200);
      expect(ask(settingsFor(forge, { token: "another" }))).toBe(401);
    });
  },
);

describe("the address of the API", () => {
  const urlOf = (settings: CommitStatusSettings, repository: string) =>
    nextRequest({
      event: deploymentEvent("deployment.building", {}, { repository }),
      settings,
      origin: "https://gantry.example.com",
      outcomeBefore: null,
      memory: {},
      answers: [],
    })?.url ?? null;

  it.each([
    [
      "github",
      null,
      "ssh://git@ssh.github.com:443/alice/shop",
      `https://api.github.com/repos/alice/shop/statuses/${SHA}`,
    ],
    [
      "github",
      "https://ghe.example.com",
      "git@ghe.example.com:alice/shop.git",
      `https://ghe.example.com/api/v3/repos/alice/shop/statuses/${SHA}`,
    ],
    [
      "github",
      "https://ghe.example.com/api/v3/",
      "https://ghe.example.com/alice/shop",
      `https://ghe.example.com/api/v3/repos/alice/shop/statuses/${SHA}`,
    ],
    [
      "github",
      "https://api.acme.ghe.com",
      "https://acme.ghe.com/alice/shop",
      `https://api.acme.ghe.com/repos/alice/shop/statuses/${SHA}`,
    ],
    [
      "gitlab",
      null,
      "https://gitlab.com/group/sub/shop.git",
      `https://gitlab.com/api/v4/projects/group%2Fsub%2Fshop/statuses/${SHA}`,
    ],
    [
      "gitlab",
      "https://example.com/gitlab",
      "https://example.com/gitlab/group/shop",
      `https://example.com/gitlab/api/v4/projects/group%2Fshop/statuses/${SHA}`,
    ],
    [
      "gitlab",
      "https://example.com/gitlab",
      "git@example.com:group/shop",
      `https://example.com/gitlab/api/v4/projects/group%2Fshop/statuses/${SHA}`,
    ],
    [
      "gitea",
      "https://git.example.com:3000",
      "ssh://git@ssh.git.example.com:2222/alice/shop",
      `https://git.example.com:3000/api/v1/repos/alice/shop/statuses/${SHA}`,
    ],
    [
      "gitea",
      "http://127.0.0.1:3000",
      "file:///srv/git/alice/shop.git",
      `http://127.0.0.1:3000/api/v1/repos/alice/shop/statuses/${SHA}`,
    ],
    [
      "bitbucket",
      null,
      "git@bitbucket.org:alice/shop.git",
      `https://api.bitbucket.org/2.0/repositories/alice/shop/commit/${SHA}/statuses/build`,
    ],
  ] as const)("%s at %s, repository %s", (forge, api, repository, url) => {
    expect(urlOf(settingsFor(forge, { api_url: api }), repository)).toBe(url);
  });

  it.each([
    ["another forge", "https://gitlab.com/alice/shop"],
    ["a host that ends like the forge's", "https://evilgithub.com/alice/shop"],
    ["a path with more than the repository", "https://github.com/alice/shop/tree"],
    ["a path that leads elsewhere", "https://github.com/alice/.."],
    ["a repository on the server", "/srv/git/alice/shop.git"],
  ])("is not asked about %s", (_, repository) => {
    expect(urlOf(settingsFor("github"), repository)).toBeNull();
  });

  it("never comes from the repository's address, so that the token is sent to no other host", () => {
    fc.assert(
      fc.property(
        fc.domain().map((host) => `https://${host}/alice/shop`),
        fc.constantFrom("github", "gitlab", "gitea", "bitbucket"),
        (url, forge) => {
          const sent = urlOf(settingsFor(forge), url);
          expect(sent === null || sent.startsWith(`${hosts[forge]}/`)).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("a deployment of GitHub", () => {
  const settings = settingsFor("github", { deployments: true });
  const inOrder = [...life, "deployment.superseded"] as const;

  it("is created once, without a merge and without required checks, and follows the deployment", () => {
    const fake = fakeGithub(TOKEN);
    const send = outlet(settings, fake);
    inOrder.forEach((type, at) => send(deploymentEvent(type, {}, { sequence: at + 1 })));
    expect(fake.deployments).toEqual([
      {
        id: expect.any(Number),
        request: expect.objectContaining({
          ref: SHA,
          environment: "shop",
          auto_merge: false,
          required_contexts: [],
        }),
        states: ["queued", "in_progress", "success", "inactive"],
      },
    ]);
  });

  it("waits until the commit is known, and has the environment of the settings", () => {
    const fake = fakeGithub(TOKEN);
    const send = outlet({ ...settings, environment: "production" }, fake);
    send(deploymentEvent("deployment.started", { commit_sha: null }));
    expect(fake.deployments).toEqual([]);
    send(deploymentEvent("deployment.building", {}, { sequence: 2 }));
    expect(fake.deployments[0]?.request).toMatchObject({ environment: "production" });
  });

  it("is found again after an attempt that did not get its id", () => {
    const fake = fakeGithub(TOKEN);
    const send = outlet({ ...settings, statuses: false }, fake);
    // The requests: find, create, set the state.
    expect(send(deploymentEvent("deployment.building"), (request) => request === 1)).toBe(false);
    expect(send(deploymentEvent("deployment.building"))).toBe(true);
    expect(fake.deployments.map(({ states }) => states)).toEqual([["in_progress"]]);
  });
});

describe("events that set no status", () => {
  it.each([
    ["a deployment of changed settings", deploymentEvent("deployment.live", { kind: "config" })],
    ["a deployment that was deleted", deploymentEvent("deployment.deleted")],
    [
      "a deployment without a known commit",
      deploymentEvent("deployment.failed", { commit_sha: null, pushed_sha: null }),
    ],
  ])("%s", (_, event) => {
    const fake = fakeGithub(TOKEN);
    outlet(settingsFor("github", { deployments: true }), fake)(event);
    expect([fake.statuses.size, fake.deployments.length]).toEqual([0, 0]);
  });
});
