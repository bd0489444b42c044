import { useEffect, useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import { api } from "#dashboard/data/api.ts";
import {
  connectionsApi,
  type Pending,
  takeAnswer,
  takePending,
  testResult,
} from "#dashboard/data/provider-sign-in.ts";
import { signInWith } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { LonePage } from "#dashboard/shared/lone-page.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";
import { goTo } from "#dashboard/router/navigation.ts";
import { pathTo, routeAt } from "#dashboard/router/route.ts";

/** The page to which a provider sends the browser back. It finishes what this tab has started, and goes back to where it was. */
export function SignInCallback() {
  const [pending] = useState(takePending);
  const finishing = useAction(finish);
  const run = async () => {
    if (pending === null) return history.replaceState(null, "", location.pathname);
    if ((await finishing.run(pending)) !== null) leave(pending);
  };
  useEffect(() => void run(), []);
  const { problem } = finishing;
  return (
    <LonePage title="Sign in" heading="Sign in to Gantry">
      {pending === null ? (
        <p class="problem" role="alert">
          <strong>This tab has not started a sign-in.</strong> Start again on the sign-in page.
        </p>
      ) : problem === null ? (
        <Waiting what="Signing in" />
      ) : (
        <ProblemBox problem={problem} doing="Signing in" />
      )}
      {pending === null || problem !== null ? (
        <p>
          <a href={pending === null ? pathTo({ page: "sign_in" }) : pending.back}>Back</a>
        </p>
      ) : null}
    </LonePage>
  );
}

async function finish(pending: Pending): Promise<ClientResult<unknown>> {
  const { act, connection_id: id, invitation_code: code } = pending;
  const provider = takeAnswer(pending);
  switch (act) {
    case "sign_in":
      return await signInWith({ provider, ...(code !== null && { invitation_code: code }) });
    case "confirm":
      return await api.confirmSession({ body: { provider } });
    case "add_identity":
      return await profileApi.addIdentity({ body: provider });
    case "test": {
      const test = await connectionsApi.testConnection({
        params: { connection_id: id },
        body: { answer: provider },
      });
      if (test.ok) testResult.set({ connectionId: id, test: test.value });
      return test;
    }
  }
}

function leave({ back }: Pending): void {
  const route = routeAt(back);
  const hasNoPage = route.page === "not_found" || route.page === "sign_in" || route.page === "join";
  goTo(hasNoPage ? { page: "overview" } : route, { replace: true });
}
