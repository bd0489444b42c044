import { useEffect } from "preact/hooks";

import { clearCaches } from "#dashboard/data/cache.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { lazy } from "#dashboard/shared/lazy.tsx";
import { NotFound } from "#dashboard/pages/not-found.tsx";
import { Overview } from "#dashboard/pages/overview/overview.tsx";
import { SignIn } from "#dashboard/pages/sign-in.tsx";
import { keepFocus } from "#dashboard/router/keep-focus.ts";
import { followLinks, useRoute } from "#dashboard/router/navigation.ts";
import type { Route } from "#dashboard/router/route.ts";
import { Shell } from "#dashboard/shell/shell.tsx";

// What most visits do not begin with is loaded when it is come to.
const NewProject = lazy(async () => (await import("#dashboard/pages/new-project.tsx")).NewProject);
const ProjectPage = lazy(async () => (await import("#dashboard/pages/project/project.tsx")).ProjectPage);
const Settings = lazy(async () => (await import("#dashboard/pages/settings/settings.tsx")).Settings);
const DeploymentPage = lazy(
  async () => (await import("#dashboard/pages/deployment/deployment.tsx")).DeploymentPage,
);
const Servers = lazy(async () => (await import("#dashboard/pages/servers/servers.tsx")).Servers);
const Tokens = lazy(async () => (await import("#dashboard/pages/tokens/tokens.tsx")).Tokens);
const AccountPage = lazy(async () => (await import("#dashboard/pages/account/account.tsx")).AccountPage);
const Charts = lazy(async () => (await import("#dashboard/pages/charts/charts.tsx")).Charts);

/** The whole dashboard: signing in, or a page in its frame. */
export function App() {
  const route = useRoute();
  const state = useSignal(session);
  useEffect(followLinks, []);
  useEffect(keepFocus, []);
  useEffect(() => {
    if (typeof state === "string") clearCaches();
  }, [state]);
  // A link is for signing in, also where somebody is signed in already.
  if (typeof state === "string" || (route.page === "sign_in" && location.hash !== ""))
    return <SignIn state={state} />;
  return (
    <Shell route={route}>
      <PageAt route={route} />
    </Shell>
  );
}

function PageAt({ route }: { readonly route: Route }) {
  switch (route.page) {
    case "overview":
    case "sign_in":
      return <Overview />;
    case "new_project":
      return <NewProject />;
    case "project":
      return <ProjectPage key={route.id} id={route.id} />;
    case "settings":
      return <Settings key={route.id} id={route.id} />;
    case "deployment":
      return <DeploymentPage key={route.id} id={route.id} />;
    case "servers":
      return <Servers />;
    case "tokens":
      return <Tokens />;
    case "account":
      return <AccountPage />;
    case "charts":
      return <Charts />;
    case "not_found":
      return <NotFound />;
  }
}
