import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import { ApprovalRule, isWeakerRule } from "#contract/endpoints/projects/approval-rule.ts";
import { createIdGenerator } from "#contract/ids.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import type { NewDeploymentRequest } from "#domain/lane/decide-start.ts";
import { type Lane, queuedOf } from "#domain/lane/lane.ts";
import { accepted, laneWithLive, resolvesTo, start } from "../../support/lane.ts";

const ids = createIdGenerator({
  now: () => 1,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});

type Sender = Pick<NewDeploymentRequest, "actor" | "person">;

const tokenOf = (id: string): Actor => ({ type: "token", id, name: id });

/** A member with a session, a personal token and a service token that the member has created. */
function memberNamed(name: string) {
  const member = { id: ids.member(), name };
  const own = (id: string): Sender => ({ actor: { ...tokenOf(id), name, member }, person: member.id });
  return {
    session: own(`${name}/session`),
    personalToken: own(`${name}/personal`),
    serviceToken: { actor: tokenOf(`${name}/service`), person: member.id } satisfies Sender,
  };
}

const ada = memberNamed("Ada");
const bob = memberNamed("Bob");
/** Senders behind whom nobody is known. */
const push: Sender = { actor: { type: "hook", id: "hook_1", name: "Eve, GitHub" }, person: null };
const job: Sender = { actor: tokenOf("job"), person: null };
const oldToken: Sender = { actor: tokenOf("old"), person: null };

const live = laneWithLive(1);

/** A lane whose v2 waits for an approval. */
const startedBy = (sender: Sender, approval: ApprovalRule): Lane =>
  resolvesTo(accepted(start(live, 0, { ...sender, approval })), 2).lane;

/** The code of the refusal of an approval; null: it is accepted. */
function approvalBy({ actor, person }: Sender, lane: Lane): string | null {
  const [waiting] = queuedOf(lane);
  if (waiting === undefined) throw new Error("nothing waits");
  const decided = decideApprove(lane, { id: waiting.id, actor, person, commit: null, until: null }, 0);
  return decided.ok ? null : decided.refusal.code;
}

const approval = (starter: Sender, approver: Sender, rule: ApprovalRule = "by_another") =>
  approvalBy(approver, startedBy(starter, rule));

describe("by_another", () => {
  it("refuses the person who has started the deployment, with whichever token", () => {
    for (const starter of Object.values(ada))
      for (const approver of Object.values(ada)) expect(approval(starter, approver)).toBe("own_deployment");
  });

  it("lets another person approve, also with a service token", () => {
    for (const starter of Object.values(ada))
      for (const approver of Object.values(bob)) expect(approval(starter, approver)).toBeNull();
  });

  it("lets everybody approve what a push or a job has started", () => {
    for (const starter of [push, job])
      for (const approver of [ada.session, ada.serviceToken, oldToken])
        expect(approval(starter, approver)).toBeNull();
  });

  it("compares tokens where a person is not known", () => {
    expect(approval(oldToken, oldToken)).toBe("own_deployment");
    expect(approval(oldToken, job)).toBeNull();
    expect(approval(oldToken, ada.session)).toBeNull();
    expect(approval(ada.session, oldToken)).toBeNull();
  });

  it("compares tokens for a deployment that an older version has stored", () => {
    const lane = startedBy(ada.session, "by_another");
    const deployments = lane.deployments.map(({ person: _person, ...stored }) => stored);
    const stored = { ...lane, deployments };
    expect(approvalBy(ada.session, stored)).toBe("own_deployment");
    expect(approvalBy(ada.personalToken, stored)).toBeNull();
  });
});

describe("by_another_person", () => {
  it("refuses what is not the session or the personal token of a member", () => {
    for (const approver of [ada.serviceToken, bob.serviceToken, job, oldToken])
      expect(approval(push, approver, "by_another_person")).toBe("person_required");
  });

  it("lets another member approve, and not the member who has started the deployment", () => {
    for (const approver of [bob.session, bob.personalToken]) {
      expect(approval(ada.serviceToken, approver, "by_another_person")).toBeNull();
      expect(approval(bob.serviceToken, approver, "by_another_person")).toBe("own_deployment");
    }
  });
});

describe("the approval rules", () => {
  const sender = fc.constantFrom(...Object.values(ada), ...Object.values(bob), push, job, oldToken);
  const rule = fc.constantFrom(...ApprovalRule.options);

  it("are each at least as strict as the weaker ones, for everybody", () => {
    fc.assert(
      fc.property(sender, sender, rule, rule, (starter, approver, one, other) => {
        fc.pre(one !== "none" && isWeakerRule(one, other));
        if (approval(starter, approver, one) !== null)
          expect(approval(starter, approver, other)).not.toBeNull();
      }),
    );
  });
});
