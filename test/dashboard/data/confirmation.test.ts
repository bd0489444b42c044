import { describe, expect, it } from "vitest";

import type { Send } from "#client/send.ts";
import { memberEndpoints } from "#contract/endpoints/members/endpoints.ts";
import { confirmation, sendConfirmed } from "#dashboard/data/confirmation.ts";

const transport = { baseUrl: "", token: null, fetch };

/** Sends nothing: the first answers ask for a confirmation. @param refusals how many */
function refusing(refusals: number): { readonly send: Send; readonly sent: () => number } {
  let count = 0;
  const send: Send = () => {
    count += 1;
    const problem = { type: "", title: "", status: 403, detail: "Confirm.", request_id: "" };
    const code = count <= refusals ? "reauthentication_required" : "last_owner";
    return Promise.resolve({ ok: false, problem: { ...problem, code } });
  };
  return { send, sent: () => count };
}

async function codeOf(answer: ReturnType<Send>): Promise<string> {
  const result = await answer;
  return result.ok ? "ok" : `${result.problem.code}: ${result.problem.detail}`;
}

describe("a request that needs a confirmation", () => {
  it("is sent again after it, and shares it with others", async () => {
    const { send, sent } = refusing(2);
    const ask = sendConfirmed(send);
    const answers = [1, 2].map(() => codeOf(ask(memberEndpoints.removeMember, {}, transport)));
    await expect.poll(() => confirmation.value).not.toBe(null);
    confirmation.value?.settle(true);
    expect(await Promise.all(answers)).toEqual(["last_owner: Confirm.", "last_owner: Confirm."]);
    expect(sent()).toBe(4);
    expect(confirmation.value).toBe(null);
  });

  it("fails if the person does not confirm, and is not sent again", async () => {
    const { send, sent } = refusing(1);
    const answer = codeOf(sendConfirmed(send)(memberEndpoints.removeMember, {}, transport));
    await expect.poll(() => confirmation.value).not.toBe(null);
    confirmation.value?.settle(false);
    expect(await answer).toContain("You did not confirm");
    expect(sent()).toBe(1);
  });
});
