import { expect, it } from "vitest";

import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import { MemberId, TokenId } from "#contract/ids.ts";
import { approvalObstacle } from "#dashboard/shared/approval-obstacle.ts";

const end = (at: number) => at.toString().padStart(26, "0");
const ada = { id: MemberId.parse(`mem_${end(1)}`), name: "Ada", is_owner: true };
const grace = { id: MemberId.parse(`mem_${end(2)}`), name: "Grace", is_owner: false };
const [session, other] = [TokenId.parse(`tok_${end(1)}`), TokenId.parse(`tok_${end(2)}`)];

function startedBy(id: TokenId, member?: Actor["member"]): { readonly actor: Actor } {
  return { actor: { type: "token", id, name: "x", ...(member !== undefined && { member }) } };
}

it("excludes who has started the deployment, with any of their tokens, where another must approve", () => {
  const caller = { token: { id: session }, member: ada };
  const own = startedBy(other, ada);
  expect(approvalObstacle(caller, own, "required")).toBeNull();
  expect(approvalObstacle(caller, own, "by_another")).toBe("own");
  expect(approvalObstacle(caller, startedBy(session), "by_another_person")).toBe("own");
  expect(approvalObstacle(caller, startedBy(other, grace), "by_another_person")).toBeNull();
});

it("excludes tokens without a person where a person must approve", () => {
  const caller = { token: { id: session }, member: null };
  expect(approvalObstacle(caller, startedBy(other), "by_another")).toBeNull();
  expect(approvalObstacle(caller, startedBy(other), "by_another_person")).toBe("person");
});
