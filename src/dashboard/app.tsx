import type { VNode } from "preact";
import { useEffect } from "preact/hooks";

import { clearCaches } from "#dashboard/data/cache.ts";
import { followSession, session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { lazy } from "#dashboard/shared/lazy.tsx";
import { Overview } from "#dashboard/pages/overview/overview.tsx";
import { SignIn } from "#dashboard/pages/sign-in.tsx";
import { keepFocus } from "#dashboard/router/keep-focus.ts";
import { followLinks, useRoute } from "#dashboard/router/navigation.ts";
import type { Route } from "#dashboard/router/route.ts";
import { Shell } from "#dashboard/shell/shell.tsx";

// The pages that few visits start with are loaded, all at once, when one of them is opened.
const LazyPage = lazy(async () => (await import("#dashboard/pages/lazy-page.tsx")).LazyPage);

/** The dashboard: the sign-in page, or a page with the navigation around it. */
export function App() {
  const route = useRoute();
  const state = useSignal(session);
  useEffect(followLinks, []);
  useEffect(followSession, []);
  useEffect(keepFocus, []);
  useEffect(() => {
    if (typeof state === "string") clearCaches();
  }, [state]);
  if (route.page === "join" || route.page === "sign_in_callback") return <LazyPage route={route} />;
  // A sign-in link is used even if the tab is signed in already.
  if (typeof state === "string" || (route.page === "sign_in" && location.hash !== ""))
    return <SignIn state={state} />;
  return (
    <Shell route={route}>
      <PageAt route={route} />
    </Shell>
  );
}

function PageAt({ route }: { readonly route: Route }): VNode {
  return route.page === "overview" || route.page === "sign_in" ? <Overview /> : <LazyPage route={route} />;
}
